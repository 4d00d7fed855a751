"""What an author sees of the SDK, and what comes with importing it."""

import subprocess
import sys

import cutpurse_sdk
from cutpurse_sdk import errors


def test_importing_the_sdk_brings_the_protocol_and_nothing_else_of_ours() -> None:
    program = "import sys, cutpurse_sdk; print(*sorted({name.partition('.')[0] for name in sys.modules}))"

    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()

    assert {"cutpurse", "cutpurse_sdk", "grpc", "google"} <= set(loaded)
    assert not {"cutpurse_server", "cutpurse_rules", "cutpurse_bots", "structlog", "typer", "uvloop"} & set(loaded)


def test_every_error_stands_in_the_tree_at_the_top_of_its_module() -> None:
    tree = (errors.__doc__ or "").splitlines()
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]

    for kind in kinds:
        assert issubclass(kind, cutpurse_sdk.CutpurseError)
        assert kind.__name__ in cutpurse_sdk.__all__
        assert any(line.lstrip("├└─ ").split(" ")[0] == kind.__name__ for line in tree), kind
    assert len(kinds) > 5


def test_everything_that_is_named_is_there() -> None:
    assert [name for name in cutpurse_sdk.__all__ if not hasattr(cutpurse_sdk, name)] == []
