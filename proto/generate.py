"""Generate the Python code of a proto tree: messages, gRPC stubs and the types of both.

    python proto/generate.py SOURCE OUT      # `make proto` calls it with proto and proto/gen/python

Every ``*.proto`` below SOURCE gives ``*_pb2.py`` and ``*_pb2.pyi`` at the same place below OUT, and, when it holds a
service, ``*_pb2_grpc.py`` and ``*_pb2_grpc.pyi``. A generated file in OUT whose proto has gone is removed. The same
input gives the same bytes on every machine, since every generator is pinned in ``requirements/dev.txt``.
"""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")
"""The names that belong to this generator; everything else in OUT is left alone."""


class GenerationFailed(Exception):
    """The proto compiler refused the input; its own words are the text."""


def generate(source: Path, out: Path) -> list[Path]:
    """Generate the code of every proto below `source` into `out`; return the written files, sorted.

    Raises GenerationFailed when there is no proto or the compiler refuses one.
    """
    protos = sorted(source.rglob("*.proto"))
    if not protos:
        raise GenerationFailed(f"there is no .proto file below {source}")
    remove_generated(out)
    out.mkdir(parents=True, exist_ok=True)
    compile_protos(source, protos, ["python", "mypy"], out)
    with_service = [proto for proto in protos if has_service(proto)]
    if with_service:
        compile_protos(source, with_service, ["grpc_python", "mypy_grpc"], out)
    return generated_files(out)


def generated_files(out: Path) -> list[Path]:
    """Every generated file below `out`, sorted."""
    return sorted(path for pattern in GENERATED for path in out.rglob(pattern))


def remove_generated(out: Path) -> None:
    """Remove every generated file below `out`, so that nothing outlives its proto."""
    for path in generated_files(out):
        path.unlink()


def has_service(proto: Path) -> bool:
    """Whether `proto` defines a service; without one its gRPC file would be empty."""
    return re.search(r"^service\s", proto.read_text(encoding="utf-8"), re.MULTILINE) is not None


def compile_protos(source: Path, protos: list[Path], generators: list[str], out: Path) -> None:
    """Run the proto compiler once over `protos` with the named generators."""
    command = [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={source}"]
    scripts = Path(sysconfig.get_path("scripts"))
    for generator in generators:
        if generator.startswith("mypy"):
            # Named by path: the virtual environment need not be activated, so PATH may not know it.
            command.append(f"--plugin=protoc-gen-{generator}={scripts / f'protoc-gen-{generator}'}")
            command.append(f"--{generator}_out=quiet:{out}")
        else:
            command.append(f"--{generator}_out={out}")
    # Relative names, because the compiler writes them into the code it makes.
    command += [proto.relative_to(source).as_posix() for proto in protos]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise GenerationFailed(done.stderr.strip() or f"the proto compiler ended with {done.returncode}")


def main(arguments: list[str]) -> int:
    """Generate from the command line; return the exit code (0 done, 1 refused, 2 wrong usage)."""
    if len(arguments) != 2:
        print("usage: python proto/generate.py SOURCE OUT", file=sys.stderr)
        return 2
    try:
        written = generate(Path(arguments[0]), Path(arguments[1]))
    except GenerationFailed as refusal:
        print(refusal, file=sys.stderr)
        return 1
    print(f"{len(written)} files in {arguments[1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
