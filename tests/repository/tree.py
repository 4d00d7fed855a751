"""Where things lie in this repository, and which files are ours to judge."""

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The root of the repository."""

PACKAGES = {
    "cutpurse_rules": "server/rules/cutpurse_rules",
    "cutpurse_server": "server/service/cutpurse_server",
    "cutpurse_sdk": "sdk/python/cutpurse_sdk",
    "cutpurse_bots": "bots/cutpurse_bots",
}
"""The import packages that people write, and their folders."""

DISTRIBUTIONS = ("proto", "server/rules", "server/service", "sdk/python", "bots")
"""The folders of the published distributions."""

NOT_OURS = frozenset({"gen", "build", "node_modules", "target", "__pycache__", "dist"})
"""Folders that tools fill. Hidden folders are left out too, except .ci."""

TEXT = frozenset({".py", ".pyi", ".md", ".toml", ".txt", ".proto", ".yaml", ".yml", ".json", ".jsonl", ".cfg", ".sh"})
"""Suffixes of files that hold text; files without a suffix (Makefile, LICENSE, run) do too."""


def ours(root: Path) -> Iterator[Path]:
    """Every file below `root` that people write, in sorted order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and is_shown(name))
        yield from (Path(folder, name) for name in sorted(files) if is_shown(name) or name.startswith(".git"))


def is_shown(name: str) -> bool:
    """Whether a file or folder of that name is looked at."""
    return not name.startswith(".") or name in {".ci", ".editorconfig"}


def python_files(root: Path) -> list[Path]:
    """Every Python file below `root` that people write."""
    return [path for path in ours(root) if path.suffix == ".py"]


def text_files(root: Path) -> list[Path]:
    """Every text file below `root` that people write."""
    return [path for path in ours(root) if path.suffix in TEXT or "." not in path.name.lstrip(".")]
