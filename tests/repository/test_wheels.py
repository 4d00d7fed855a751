"""What a stranger installs from the built wheels: the SDK with nothing more than it says, and a working command."""

import json
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.repository.tree import DISTRIBUTIONS, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*command: str | Path) -> str:
    """Run a command that must succeed; return what it printed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel of every distribution."""
    folder = tmp_path_factory.mktemp("wheels")
    for distribution in DISTRIBUTIONS:
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
        run(sys.executable, "-m", "pip", "wheel", *options, folder, f"./{distribution}")
    return folder


def install(wheels: Path, environment: Path, *names: str) -> Path:
    """Install `names` from the wheels into a fresh environment; return its folder of programs."""
    venv.create(environment, with_pip=True)
    programs = environment / "bin"
    options = ["--quiet", "--find-links", str(wheels), "--constraint", "requirements/dev.txt"]
    run(programs / "python", "-m", "pip", "install", *options, *names)
    return programs


def installed(programs: Path) -> set[str]:
    """The names of the distributions in an environment, without the installer itself."""
    listing = json.loads(run(programs / "python", "-m", "pip", "list", "--format=json"))
    return {each["name"].lower().replace("_", "-") for each in listing} - {"pip", "setuptools"}


def test_the_sdk_alone_brings_grpcio_and_protobuf_and_nothing_more(wheels: Path, tmp_path: Path) -> None:
    programs = install(wheels, tmp_path / "venv", "cutpurse-sdk")

    expected = {"cutpurse-sdk", "cutpurse-proto", "grpcio", "protobuf", "typing-extensions"}
    assert installed(programs) == expected
    run(programs / "python", "-I", "-W", "error", "-c", "import cutpurse_sdk, cutpurse.v1.bot_pb2_grpc")


def test_the_server_with_house_bots_gives_a_working_command(wheels: Path, tmp_path: Path) -> None:
    programs = install(wheels, tmp_path / "venv", "cutpurse-server", "cutpurse-bots")

    assert "art_robbery" in run(programs / "cutpurse", "games")
    assert run(programs / "cutpurse", "match", "art_robbery", "--bot", "greedy", "--bot", "random", "--seed", "7")


def test_the_server_s_wheel_holds_the_migrations_of_its_database(wheels: Path) -> None:
    (wheel,) = wheels.glob("cutpurse_server-*.whl")
    with zipfile.ZipFile(wheel) as files:
        packed = {Path(name).name for name in files.namelist() if name.endswith(".sql")}

    kept = {path.name for path in (ROOT / "server/service/cutpurse_server/log/postgresql_migrations").iterdir()}
    assert packed == kept != set()


def test_the_server_s_wheel_holds_the_templates_of_every_language(wheels: Path) -> None:
    (wheel,) = wheels.glob("cutpurse_server-*.whl")
    folder = Path("cutpurse_server/bot_projects")
    with zipfile.ZipFile(wheel) as files:
        packed = {Path(name) for name in files.namelist() if folder in Path(name).parents}

    tree = ROOT / "server/service"
    tracked = run("git", "-C", tree, "ls-files", folder).splitlines()
    assert packed == set(map(Path, tracked))
    assert folder / "python" / ".gitignore.template" in packed


def test_simulate_is_an_extra_of_the_sdk(wheels: Path, tmp_path: Path) -> None:
    programs = install(wheels, tmp_path / "venv", "cutpurse-sdk[simulate]")

    assert {"cutpurse-server", "cutpurse-rules", "cutpurse-bots"} <= installed(programs)


def test_uv_installs_a_distribution_with_those_it_needs_from_this_tree(tmp_path: Path) -> None:
    uv = shutil.which("uv", path=str(Path(sys.executable).parent))
    assert uv is not None
    venv.create(tmp_path / "venv", with_pip=False)

    run(uv, "pip", "install", "--quiet", "--python", tmp_path / "venv" / "bin" / "python", "./sdk/python")

    run(tmp_path / "venv" / "bin" / "python", "-c", "import cutpurse_sdk, cutpurse.v1.bot_pb2_grpc")
