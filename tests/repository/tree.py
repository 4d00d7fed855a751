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

SOURCES = frozenset({".py", ".ts", ".mjs", ".js", ".go", ".java", ".rs", ".cpp", ".h"})
"""Suffixes of files that hold a program's source."""

TEXT = SOURCES | frozenset(
    {".pyi", ".md", ".toml", ".txt", ".proto", ".yaml", ".yml", ".json", ".jsonl", ".cfg", ".sh"}
    | {".xml", ".mod", ".sum", ".svg", ".sql", ".npmrc", ".template"}
)
"""Suffixes of files that hold text; files without a suffix (Makefile, LICENSE, run) do too."""

GENERATED = (".pb.go", "_pb.ts")
"""How the names of generated files end that lie beside ours, as their language wants it."""


def ours(root: Path) -> Iterator[Path]:
    """Every file below `root` that people write, in sorted order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS and is_shown(name))
        kept = (name for name in sorted(files) if not name.endswith(GENERATED))
        yield from (Path(folder, name) for name in kept if is_shown(name) or name.startswith((".git", ".npmrc")))


def is_shown(name: str) -> bool:
    """Whether a file or folder of that name is looked at."""
    return not name.startswith(".") or name in {".ci", ".editorconfig"}


def python_files(root: Path) -> list[Path]:
    """Every Python file below `root` that people write."""
    return [path for path in ours(root) if path.suffix == ".py"]


def sources(root: Path) -> list[Path]:
    """Every source file below `root` that people write, templates of them included."""
    return [path for path in ours(root) if Path(path.name.removesuffix(".template")).suffix in SOURCES]


def text_files(root: Path) -> list[Path]:
    """Every text file below `root` that people write."""
    return [path for path in ours(root) if path.suffix in TEXT or "." not in path.name.lstrip(".")]
