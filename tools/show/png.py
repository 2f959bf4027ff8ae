"""SVG images as PNG, by the optional package resvg_py."""

import importlib.util
from pathlib import Path


def png_of(svg: str) -> bytes:
    """The image as PNG, in the size that it names.

    Its letters are in a font of this machine, or in the one that matplotlib brings.

    Raises: ModuleNotFoundError if resvg_py is not installed.
    """
    import resvg_py  # an extra of its own

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, font_dirs=_font_folders()))


def _font_folders() -> list[str]:
    """Where matplotlib's fonts are, if it is installed."""
    found = importlib.util.find_spec("matplotlib")
    if found is None or found.origin is None:
        return []
    return [str(Path(found.origin).parent / "mpl-data" / "fonts" / "ttf")]
