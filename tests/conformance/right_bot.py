"""The example bot from the protocol alone, as a module that tests may change."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

EXAMPLE = Path(__file__).parents[2] / "bots" / "examples" / "python_proto_only" / "bot.py"


def _loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("right_bot", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


example: Any = _loaded()
