"""What was made with the evaluation was made with the one that is shipped."""

import json
import re

from outflank.engine.evaluation.weights import checksum
from outflank.tests.installation import ROOT


def test_the_selectivity_model_was_fitted_to_the_shipped_weights_or_measured_again_with_them() -> None:
    made = json.loads((ROOT / "engine" / "search" / "probcut.json").read_text())["provenance"]

    assert made.get("measured again", made)["weights"] == f"CRC-32 {checksum()}", "outflank train probcut"


def test_the_balanced_openings_were_judged_with_the_shipped_weights() -> None:
    head = (ROOT / "tools" / "match" / "openings" / "data" / "balanced.txt").read_text()[:1000]

    assert re.findall(r"weights of CRC-32 ([0-9a-f]{8})", head) == [checksum()], "outflank openings make"
