"""The manual and the completions of shells: all commands and options are in them, and programs accept them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from outflank.tools.commands.program import COMMANDS, cli
from outflank.tools.commands.shellfiles import main, manual, shell_files


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("share")
    main(folder)
    return folder


def test_the_manual_has_every_command_and_every_option() -> None:
    page = manual()
    for name in COMMANDS:
        section = page.partition(f"\n.SS {name}\n")[2].partition("\n.SS ")[0]
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[-1].replace("-", "\\-") in section, (name, parameter.opts)


def test_no_line_of_the_manual_is_taken_for_a_request() -> None:
    requests = {line.split()[0] for line in manual().splitlines() if line.startswith((".", "'"))}

    assert requests == {".TH", ".SH", ".SS", ".TP", ".PP"}


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_reads_the_manual_without_a_warning(share: Path) -> None:
    page = str(share / "man/man1/outflank.1")
    told = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True, timeout=60
    )
    shown = re.sub("\x1b\\[[0-9;]*m|.\x08", "", told.stdout)

    assert told.stderr == ""
    assert "outflank tournament [OPTIONS]" in shown
    assert "--concurrency" in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_a_file_that_asks_the_program(shell: str) -> None:
    (text,) = [text for name, text in shell_files().items() if shell in name]

    assert "_OUTFLANK_COMPLETE" in text
    assert f"{shell}_complete" in text


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_with_that_file(share: Path) -> None:
    file = share / "bash-completion/completions/outflank"
    ask = "COMP_WORDS=(outflank tour); COMP_CWORD=1; _outflank_completion outflank; echo ${COMPREPLY[@]}"
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    told = subprocess.run(
        ["bash", "-c", f"source {file}; {ask}"], env=variables, capture_output=True, text=True, timeout=60
    )

    assert told.stdout == "tournament\n"
