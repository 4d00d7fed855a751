"""`python -m cutpurse_sdk MODULE:FUNCTION`: what it runs, and what it says where there is nothing to run."""

from pathlib import Path

import pytest

from cutpurse_sdk import __main__ as program


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "MODULE:FUNCTION"),
        (["bot"], "MODULE:FUNCTION"),
        (["bot:choose", "more"], "MODULE:FUNCTION"),
        (["no_such_module:choose"], "no_such_module"),
        (["a_bot_of_a_test:decide"], "decide"),
        (["a_bot_of_a_test:choose"], "CUTPURSE_ADDRESS"),
    ],
)
def test_what_cannot_be_run_is_said_with_exit_code_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "a_bot_of_a_test.py").write_text("def choose(decision):\n    return 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("CUTPURSE_ADDRESS", raising=False)

    code = program.main(arguments)

    assert code == 2
    assert said in capsys.readouterr().err
