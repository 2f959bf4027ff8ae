"""``outflank train``: re-creates the evaluation from nothing but games of its own."""

import click

from outflank.tools.commands.program import LazyGroup

COMMANDS = {
    "selfplay": "Play games into FOLDER; an interrupted run goes on where it stopped.",
    "label": "Solve single positions, or judge them by a deep search, into FOLDER; no board twice.",
    "devset": "Solve boards from the games in FOLDERS that training leaves out, to measure errors with.",
    "fit": "Fit the evaluation's tables to the games in FOLDERS.",
    "network": "Train the evaluation's network on what its tables leave unexplained in the games in FOLDERS.",
    "calibrate": "Shift the evaluation's heads so that searches of the games in FOLDERS are right on average.",
    "probcut": "Fit the selectivity model to the evaluation, on positions of the games in FOLDERS.",
    "gate": "Play the evaluation CANDIDATE against another and say whether to accept it (SPRT, both errors 5 %).",
    "all": "Make an evaluation from nothing in FOLDER: generations of self-play and fit, then the selectivity model.",
}
"""By name, what each does, as its own help says it."""


_MODULES = {
    **dict.fromkeys(("selfplay", "label", "devset"), "games"),
    **dict.fromkeys(("fit", "network", "calibrate", "probcut"), "fitting"),
    **dict.fromkeys(("gate", "all"), "pipeline"),
}


@click.group(cls=LazyGroup, package=__name__, summaries=COMMANDS, modules=_MODULES)
def train() -> None:
    """Make the evaluation from nothing: self-play, labels, fit, and a match against the one before.

    docs/evaluation.md describes how the shipped one was made.
    """
