"""SGF, the smart game format, FF[4] GM[2]. sgfmill parses the syntax, and this module interprets the properties.

Moves are ``B[f5]``, and ``B[]`` is a pass. V is the mover's evaluation, in discs for Black. SGF has no property for the
seconds of a move or for exact margins in Othello. We write both in one remark before the move's comment: ``0.250 s;
exact before the move: -4 for Black``. The margin of the last position is a remark in the root: ``exact at the end: -4
for Black``. Remarks are read only in files that Outflank wrote (AP). In these files, a comment that looks like a remark
is preceded by the line ``comment:``. GV, our own root property, is the number of opening turns that the players did not
choose. DO marks a doubtful move, BM[1] a bad move and BM[2] a very bad move. A better line is written as a variation.
Only the main line is read. Go programs write ``B[fd]``, where row a is row 8, and ``B[tt]`` for a pass; we read these
two and all other forms of a pass.
"""

import re
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from outflank.engine import Colour, FileFormatError, Game, Move, NotationError, Position, Rules
from outflank.engine.squares import SQUARE_NAMES, parse_square, square_name, squares_of
from outflank.protocol.formats.annotated import (
    PROGRAM,
    WHOLE_BOARD,
    AnnotatedGame,
    AnnotatedMove,
    BadGame,
    Recorder,
    Result,
    ResultReason,
    parsed_games,
    read_result,
    with_board_believed,
)
from outflank.protocol.formats.clocks import day_of, for_sgf, from_sgf
from outflank.protocol.formats.reading import (
    COLOURS,
    GAME_CAP,
    OTHELLO,
    charset_in,
    decoded,
    read_number,
    split_games,
)

_SETUP = ("AB", "AW", "AE")
_GIVEN = "GV"
_GAMES = ("1", "2")  # GM of Go and of Othello; Go programs record games of Othello as Go
_NUMBER = re.compile("[0-9]{1,3}")
_GO_POINT = re.compile("[a-h][a-h]")
_GO_PASS = "tt"  # a pass, written as a point outside the 19x19 board
_RESULT = re.compile(r"([BW])\+(.*)", re.IGNORECASE)
_UNFINISHED = 127  # the margin in discs that Edax writes for an unfinished game
_REASONS = {ResultReason.RESIGNATION: "R", ResultReason.TIME: "T", ResultReason.FORFEIT: "F"}
_ENDINGS = {letter: ending for ending, letter in _REASONS.items()}
_MARGIN = r"([+-](?:[0-5]?\d|6[0-4]))"  # at most 64 discs
_REMARK = re.compile(
    rf"(?:(\d{{1,9}}\.\d{{1,9}}) s)?(?:; )?(?:exact before the move: {_MARGIN} for Black)?(?:\n|$)"
)
_LAST_REMARK = re.compile(rf"exact at the end: {_MARGIN} for Black(?:\n|$)")

_NO_REMARK = "comment:\n"
_PROGRAM = "outflank:"
# The properties that do not count as unread. The first set describes the file; only CA and AP of this set are used.
_OF_THE_FILE = frozenset(["FF", "CA", "AP", "ST"])
_OF_THE_GAME = frozenset(
    ["GM", "SZ", "RU", _GIVEN, "PL", "AB", "AW", "RE", "GN", "EV", "PC", "DT", "TM", "OT"]
)
_OF_PLAYERS = frozenset(["PB", "PW", "BR", "WR"])
_OF_A_MOVE = frozenset(["B", "W", "V", "C", "DO", "BM"])
_FAULTS: tuple[dict[str, list[str]], ...] = ({}, {"DO": [""]}, {"BM": ["1"]}, {"BM": ["2"]})
_OF_GO = frozenset(["KM", "HA"])  # the properties that are ignored if their value is 0
_READ = _OF_THE_FILE | _OF_THE_GAME | _OF_PLAYERS | _OF_A_MOVE
_ZERO = re.compile(r"0?(\.0*)?")

Node = dict[str, list[bytes]]


def load(path: str, rules: Rules, before: int | None = None) -> Game:
    """Return the main line of the first game in a file, up to the position before move `before`.

    Args:
        path: the path of the file.
        rules: the rules of a game whose RU is missing or does not name rules that we know.
        before: the number of the first move to leave out, 1 for the first move of the game; None for the whole game.

    Returns: the game. Passes that the file left out are implied turns.

    Raises: OSError if the file can't be read; FileFormatError if it is not a regular file; the errors of ``parse``.
    """
    return parse(_read(path), rules, before).game(implied=True)


def read(stream: BinaryIO, rules: Rules = OTHELLO) -> Iterator[AnnotatedGame | BadGame]:
    """Yield the main line of each game of a stream, and a numbered ``BadGame`` for each game that can't be read."""
    return parsed_games(split_games(stream, escapes=True), parse, rules)


def parse(text: str | bytes, rules: Rules = OTHELLO, before: int | None = None) -> AnnotatedGame:
    """Parse the main line of the first game; see ``load``. Bytes are decoded with the charset in CA.

    Raises: FileFormatError, NotationError or IllegalMoveError for an invalid game, with the number of an invalid move.
    """
    if not isinstance(text, str):
        # Decode before parsing, since a part of a character may look like a bracket.
        text = decoded(text, charset_in(text))
    tree = _tree(text.encode())
    root, *nodes = _grammar().main_sequence_iter(tree)
    _check_game(root)
    _check_setup(root, nodes)
    moves = [
        (colour, letter, node)
        for node in (root, *nodes)
        for letter, colour in COLOURS.items()
        if letter in node
    ]
    begins = moves[0][0] if moves else None
    recorder = Recorder(_first_position(root, _rules(root, rules), begins))
    result, has_komi = _result(_simple(root, "RE"))
    is_ours = _simple(root, "AP").startswith(_PROGRAM)
    for colour, letter, node in moves[: None if before is None else before - 1]:
        comment = "" if node is root else _text(node, "C")
        seconds, exact, comment = _remarks(comment) if is_ours else (None, None, comment)
        recorder.play(
            _vertex(_simple(node, letter)) or "pass",
            colour,
            score=read_number(_simple(node, "V")),
            seconds=seconds,
            exact=exact,
            comment=comment,
            fault=_fault(node),
        )
    comment = _text(root, "C")
    exact_at_end, comment = _last_remark(comment) if is_ours else (None, comment)
    game = AnnotatedGame(
        recorder.first,
        recorder.moves,
        black=_simple(root, "PB"),
        white=_simple(root, "PW"),
        black_rating=read_number(_simple(root, "BR")),
        white_rating=read_number(_simple(root, "WR")),
        result=result,
        exact=exact_at_end,
        title=_simple(root, "GN"),
        event=_simple(root, "EV"),
        place=_simple(root, "PC"),
        date=_simple(root, "DT"),
        clock=from_sgf(_simple(root, "TM"), _simple(root, "OT")),
        comment=comment,
        given=_given(_simple(root, _GIVEN), len(recorder.moves)),
        unread=(*_unread(root, nodes), *["variation"] * _count_variations(tree)),
    )
    has_komi = has_komi or not _ZERO.fullmatch(_simple(root, "KM"))
    return game if has_komi else with_board_believed(game)


def _simple(node: Node, key: str) -> str:
    value: bytes = _grammar().simpletext_value(node.get(key, [b""])[0])
    return value.decode().strip()


def _text(node: Node, key: str) -> str:
    value: bytes = _grammar().text_value(node.get(key, [b""])[0])
    return value.decode().strip()


def _read(path: str) -> bytes:
    file = Path(path)
    if not stat.S_ISREG(file.stat().st_mode):
        raise FileFormatError(f"{path!r} is not a regular file")
    with file.open("rb") as stream:
        data = stream.read(GAME_CAP + 1)
    if len(data) > GAME_CAP:
        raise FileFormatError(f"the game in {path!r} has more than {GAME_CAP} bytes")
    return data


@cache
def _grammar() -> Any:
    """Return sgfmill's grammar module. Raises: ImportError if sgfmill, an optional dependency, is not installed."""
    from sgfmill import sgf_grammar  # type: ignore[import-untyped]

    return sgf_grammar


def _tree(data: bytes) -> Any:
    try:
        return _grammar().parse_sgf_game(data)
    except ImportError:
        raise FileFormatError(
            "SGF needs sgfmill, which is not installed (pip install 'outflank[match]')"
        ) from None
    except ValueError as error:
        raise FileFormatError(f"this is not SGF: {error}") from None


def _count_variations(tree: Any) -> int:
    count = 0
    while tree.children:
        count += len(tree.children) - 1
        tree = tree.children[0]
    return count


def _unread(root: Node, nodes: list[Node]) -> Iterator[str]:
    for name in root:
        of_go = name in _OF_GO and _ZERO.fullmatch(_simple(root, name))
        if name not in _READ and not of_go:
            yield name
    for node in nodes:
        has_move = not COLOURS.keys().isdisjoint(node)
        yield from (name for name in node if not has_move or name not in _OF_A_MOVE)


def _check_game(root: Node) -> None:
    if (game := _simple(root, "GM")) not in ("", *_GAMES):
        raise FileFormatError(f"expected a game of Othello (GM[2]), got GM[{game}]")
    if (size := _simple(root, "SZ")) not in ("", "8"):
        raise FileFormatError(f"expected a board of size 8, got SZ[{size}]")


def _rules(root: Node, rules: Rules) -> Rules:
    try:
        return Rules.parse(_simple(root, "RU"))
    except NotationError:
        return rules


def _check_setup(root: Node, nodes: list[Node]) -> None:
    if "AE" in root:
        raise FileFormatError("node 1 sets up squares with AE; only AB and AW are supported")
    for number, node in enumerate(nodes, 2):
        for name in _SETUP:
            if name in node:
                raise FileFormatError(f"node {number} sets up discs with {name}, which only node 1 may do")


def _first_position(root: Node, rules: Rules, begins: Colour | None) -> Position:
    """Return the first position. If discs are set up without PL, `begins`, the side of the first move, is to move."""
    discs = {letter: _discs(root.get(f"A{letter}", [])) for letter in COLOURS}
    position = Position.start(rules)
    if any(discs.values()):
        position = Position(discs["B"], discs["W"], Colour.BLACK, rules).with_side(begins or rules.begins)
    side = _simple(root, "PL").upper()[:1]
    return position.with_side(COLOURS[side]) if side in COLOURS else position


def _fault(node: Node) -> int:
    if "BM" in node:
        return 3 if _simple(node, "BM") == "2" else 2
    return int("DO" in node)


def _discs(values: list[bytes]) -> int:
    """Return a bitboard of the squares in AB or AW. A value is a square, or two corners of a rectangle (``d3:e6``)."""
    discs = 0
    for value in values:
        first, _, last = value.decode().partition(":")
        corners = [divmod(parse_square(_vertex(point)), 8) for point in (first, last or first)]
        rows, columns = zip(*corners, strict=True)
        for row in range(min(rows), max(rows) + 1):
            for column in range(min(columns), max(columns) + 1):
                discs |= 1 << 8 * row + column
    return discs


def _remarks(comment: str) -> tuple[float | None, int | None, str]:
    """Return the seconds and exact margin at the beginning of a move's comment, and the rest of the comment."""
    match = _REMARK.match(comment)
    if match is None or not (match[1] or match[2]):
        return None, None, comment.removeprefix(_NO_REMARK)
    seconds, exact = match[1], match[2]
    return seconds and float(seconds), exact and int(exact), comment[match.end() :]  # type: ignore[return-value]


def _last_remark(comment: str) -> tuple[int | None, str]:
    """Return the exact margin at the beginning of the game's comment, and the rest of the comment."""
    match = _LAST_REMARK.match(comment)
    if match is None:
        return None, comment.removeprefix(_NO_REMARK)
    return int(match[1]), comment[match.end() :]


def _given(text: str, turns: int) -> int:
    return min(int(text), turns) if _NUMBER.fullmatch(text) else 0


def _result(text: str) -> tuple[Result | None, bool]:
    """Parse ``B+12``, ``W+R``, ``0``, ``Draw``, ``+12`` for Black or ``40-24``; also return whether komi is included.

    The result is None for ``?``, ``Void``, an empty text, and 127 discs, which programs write for unfinished games. If
    the margin is impossible, as with komi, only the winner is returned.
    """
    if text.lower() in ("0", "draw"):
        return Result(None, 0), False
    match = _RESULT.fullmatch(text)
    if match is None:
        return _bare_result(text), False
    winner, reason = COLOURS[match[1].upper()], match[2].strip().lower()
    if not reason[:1].isalpha():
        margin = read_number(reason)
        if margin is not None and abs(margin) == _UNFINISHED:
            return None, False
        if margin is None or not margin.is_integer() or not 0 <= margin <= WHOLE_BOARD:
            return Result(winner), margin is not None and not margin.is_integer()
        return Result(winner, int(margin if winner is Colour.BLACK else -margin)), False
    return Result(winner, None, _ENDINGS.get(reason[0].upper(), ResultReason.FORFEIT)), False


def _bare_result(text: str) -> Result | None:
    """Parse a margin for Black, the discs of both sides, or ``1-0``; None for other or impossible results."""
    margin = read_number(text)
    if margin is None or not margin.is_integer() or abs(margin) > WHOLE_BOARD:
        return read_result(text)
    return Result(None if not margin else Colour.BLACK if margin > 0 else Colour.WHITE, int(margin))


def _vertex(text: str) -> str:
    """Convert ``f5``, or ``fd`` in the notation of Go programs, to our notation; return an empty text for ``tt``."""
    text = text.strip()
    if not _GO_POINT.fullmatch(text):
        return "" if text == _GO_PASS else text
    # Go programs draw row 1 at the bottom, but SGF counts rows from the top.
    row = 7 - "abcdefgh".index(text[1])
    return SQUARE_NAMES[8 * row + "abcdefgh".index(text[0])]


_LIKE_A_ROOT = re.compile(rb"^\(;", re.MULTILINE)

_TextNode = dict[str, list[str]]


def write(game: AnnotatedGame) -> str:
    """Return the game as SGF. Forced passes are empty moves, and better lines are variations."""

    def chain(*nodes: _TextNode) -> Any:
        tree = _grammar().Coarse_game_tree()
        tree.sequence = [_raw(node) for node in nodes]
        return tree

    whole = chain()
    for played in reversed(game.moves):
        whole.sequence.insert(0, _raw(_node(played)))
        if played.instead:
            rest, whole = whole, chain()
            whole.children = [rest, chain(*_variation(played))]
    whole.sequence.insert(0, _raw(_root(game)))
    text: bytes = _grammar().serialise_game_tree(whole)
    start, *others = _LIKE_A_ROOT.split(text)[1:]  # a variation at the start of a line would look like a game
    return b"".join([b"(;", start, *(b" (;" + each for each in others)]).decode()


def _variation(played: AnnotatedMove) -> Iterator[_TextNode]:
    position = played.before
    for move in played.instead:
        yield _move_node(position, move)
        position = position.play(move)


def _move_node(before: Position, move: Move) -> _TextNode:
    return {before.side.letter: ["" if move.is_pass else str(move)]}


def _raw(node: _TextNode) -> dict[str, list[bytes]]:
    return {name: [_escaped(value) for value in values] for name, values in node.items()}


def _escaped(text: str) -> bytes:
    """Escape `text` as a value of SGF, so that ``split_games`` takes none of its lines for the start of a game."""
    return _LIKE_A_ROOT.sub(rb"(\;", _grammar().escape_text(text.encode("utf-8", "replace")))


def _root(game: AnnotatedGame) -> _TextNode:
    main, overtime = for_sgf(game.clock)
    texts = {
        "DT": str(day_of(game.date) or game.date),
        "GN": game.title,
        "EV": game.event,
        "PC": game.place,
        "TM": main,
        "OT": overtime,
        "BR": _rating(game.black_rating),
        "WR": _rating(game.white_rating),
        "C": _joined(_exact("at the end", game.exact), game.comment),
        _GIVEN: str(min(game.given, len(game.moves)) or ""),
    }
    root = {
        "FF": ["4"],
        "GM": ["2"],
        "SZ": ["8"],
        "CA": ["UTF-8"],
        "AP": [PROGRAM.replace(" ", ":")],
        "PB": [game.black],
        "PW": [game.white],
        "RE": [_result_text(game.outcome)],
        **{name: [text] for name, text in texts.items() if text},
    }
    if not game.is_standard:
        root |= {"RU": [str(game.rules)], **_setup(game.first)}
    return root


def _node(played: AnnotatedMove) -> _TextNode:
    node = _move_node(played.before, played.move) | _FAULTS[played.fault]
    if played.score is not None:
        node["V"] = [f"{round(played.score, 2) + 0.0:.2f}"]  # + 0.0 avoids a negative zero
    seconds = "" if played.seconds is None else f"{played.seconds:.3f} s"
    remarks = filter(None, [seconds, _exact("before the move", played.exact)])
    if comment := _joined("; ".join(remarks), played.comment):
        node["C"] = [comment]
    return node


def _exact(where: str, margin: int | None) -> str:
    return "" if margin is None else f"exact {where}: {margin:+d} for Black"


def _joined(remarks: str, comment: str) -> str:
    """Put remarks before a comment.

    Without remarks, the line ``comment:`` is put before a comment that looks like a remark.
    """
    looks_remarked = (
        comment.startswith(_NO_REMARK)
        or _LAST_REMARK.match(comment) is not None
        or _remarks(comment)[:2] != (None, None)
    )
    if looks_remarked and not remarks:
        remarks = _NO_REMARK.rstrip()
    return "\n".join(filter(None, [remarks, comment]))


def _result_text(result: Result | None) -> str:
    if result is None:
        return "?"
    if result.winner is None:
        return "0"
    reason = str(abs(result.margin)) if result.margin is not None else _REASONS.get(result.ending, "")
    return f"{result.winner.letter}+{reason}"


def _rating(rating: float | None) -> str:
    return "" if rating is None else f"{rating:g}"


def _setup(first: Position) -> _TextNode:
    discs = {"AB": first.black, "AW": first.white}
    squares = {
        name: [square_name(square) for square in squares_of(mask)] for name, mask in discs.items() if mask
    }
    return {**squares, "PL": [first.side.letter]}
