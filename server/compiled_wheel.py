"""A build hook of hatchling: with CUTPURSE_COMPILED=1 a wheel also holds the modules that it names, compiled by mypyc.

    [tool.hatch.build.targets.wheel.hooks.custom]
    path = "../compiled_wheel.py"
    modules = ["cutpurse_rules/**/*.py"]    # patterns below the distribution's folder
    interpreted = []                        # those of them that stay as they are
    optimisation = 3                        # of the C compiler

The sources are in the wheel all the same. Compiling needs mypy, setuptools, a C compiler and whatever the modules
import, in the environment that builds (`pip wheel --no-build-isolation`). It is done on a copy: the tree, and whoever
imports from it, keeps the interpreted form.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

__all__ = ["CompiledWheel"]

VARIABLE = "CUTPURSE_COMPILED"


class CompiledWheel(BuildHookInterface[Any]):
    """Compiles into a folder of its own, which lasts until the wheel is made."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile and add the extension modules to the wheel, which is for one platform then."""
        if os.environ.get(VARIABLE, "") in ("", "0") or version == "editable":
            return
        compiler = shlex.split(os.environ.get("CC", "cc"))
        if not compiler or shutil.which(compiler[0]) is None:
            raise SystemExit(f"{VARIABLE} is set, and there is no C compiler: install one (`cc`), or set CC")
        root = Path(self.root)
        modules = self._matching("modules")
        modules -= self._matching("interpreted")
        self._folder = TemporaryDirectory(prefix="cutpurse-compiled-")
        copy = Path(self._folder.name)
        for package in {module.parts[0] for module in modules}:
            shutil.copytree(root / package, copy / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        names = sorted(str(module) for module in modules)
        # Without symbols for debuggers, which would hold paths of the machine that builds.
        options = {"MYPYC_OPT_LEVEL": str(self.config["optimisation"]), "MYPYC_DEBUG_LEVEL": "0"}
        try:
            subprocess.run(
                [sys.executable, "-m", "mypyc", "--strict", *names], cwd=copy, env=os.environ | options, check=True
            )
        except subprocess.CalledProcessError as failure:
            raise SystemExit("not compiled: mypyc failed; it comes with mypy, and needs setuptools") from failure
        endings = tuple(EXTENSION_SUFFIXES)
        built = [
            path
            for path in copy.rglob("*")
            if path.name.endswith(endings) and path.relative_to(copy).parts[0] != "build"
        ]
        missing = modules - {path.relative_to(copy).with_name(f"{path.name.partition('.')[0]}.py") for path in built}
        if missing:
            raise SystemExit(f"not compiled: mypyc made nothing of {', '.join(sorted(map(str, missing)))}")
        build_data["force_include"].update({str(path): str(path.relative_to(copy)) for path in built})
        build_data["infer_tag"] = True
        build_data["pure_python"] = False

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _matching(self, option: str) -> set[Path]:
        """The files that an option's patterns name; a pattern that names none is a mistake."""
        root, found = Path(self.root), set()
        for pattern in self.config[option]:
            files = {path.relative_to(root) for path in root.glob(pattern)}
            if not files:
                raise SystemExit(f"{root / 'pyproject.toml'}: {option} names {pattern}, and there is no such file")
            found |= files
        return found
