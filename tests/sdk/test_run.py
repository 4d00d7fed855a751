"""`run` in a process of its own: exit codes, signals, the example bots and the house bots as programs."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.sdk.scripted import Line, accepted, decision, ended, scripted_service

ROOT = Path(__file__).resolve().parents[2]


async def start(address: str, arguments: Sequence[str | Path], **environment: str) -> asyncio.subprocess.Process:
    """A Python program that finds the service in its environment."""
    given = {"CUTPURSE_ADDRESS": address, "CUTPURSE_TOKEN": "token", "PYTHONWARNINGS": "error"} | environment
    return await asyncio.create_subprocess_exec(
        sys.executable, *map(str, arguments), env=given, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )


async def outcome(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    """Exit code, output and errors of a program that has to end by itself."""
    async with asyncio.timeout(20):
        output, errors = await process.communicate()
    return process.returncode, output.decode(), errors.decode()


async def one_match(line: Line) -> None:
    await line.begin("m")
    for number in (1, 2):
        await line.say(decisions=[decision("m", number)])
        await line.say(accepted=[accepted(await line.hear_choice())])
    await line.say(ended=[ended("m")])
    await line.silence()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_is_a_good_end(number: signal.Signals, tmp_path: Path) -> None:
    started = asyncio.Event()

    async def script(line: Line) -> None:
        await line.begin("m")
        started.set()
        await line.silence()

    bot = ROOT / "bots/examples/python/bot.py"
    async with scripted_service(tmp_path, script) as address:
        process = await start(address, [bot])
        await started.wait()
        process.send_signal(number)
        code, _, errors = await outcome(process)

    assert (code, errors) == (0, "")


async def test_a_second_signal_ends_even_an_endless_loop(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        asked.set()
        await line.silence()

    endless = "import cutpurse_sdk\ndef choose(decision):\n    while True: pass\ncutpurse_sdk.run(choose)"
    async with scripted_service(tmp_path, script) as address:
        process = await start(address, ["-c", endless])
        await asked.wait()
        await asyncio.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.3)
        assert process.returncode is None
        process.send_signal(signal.SIGTERM)
        code, _, errors = await outcome(process)

    assert code not in (0, None)
    assert "KeyboardInterrupt" in errors


async def test_an_exception_in_choose_ends_the_program_with_its_traceback(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        await line.silence()

    failing = "import cutpurse_sdk\ndef choose(decision):\n    return 1 / 0\ncutpurse_sdk.run(choose)"
    async with scripted_service(tmp_path, script) as address:
        code, _, errors = await outcome(await start(address, ["-c", failing]))

    assert code == 1
    assert 'File "<string>", line 3, in choose' in errors
    assert "ZeroDivisionError" in errors


@pytest.mark.parametrize("name", ["random", "first", "greedy"])
async def test_a_house_bot_plays_as_a_program(name: str, tmp_path: Path) -> None:
    async with scripted_service(tmp_path, one_match) as address:
        process = await start(address, ["-m", "cutpurse_bots", name, "--matches", "1", "--seed", "s"])
        code, _, errors = await outcome(process)

    assert (code, errors) == (0, f"{name}: 1 matches, 2 decisions, matches played\n")


async def test_a_house_bot_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    nowhere = await outcome(await start("", ["-m", "cutpurse_bots", "random"]))
    unknown = await outcome(await start("unix:/x", ["-m", "cutpurse_bots", "nobody"]))

    assert nowhere == (2, "", "no address: pass address=… or set CUTPURSE_ADDRESS to host:port or unix:/path\n")
    assert unknown[0] == 2
    assert "choose from" in unknown[2]


async def test_the_first_bot_of_ten_lines_plays(tmp_path: Path) -> None:
    bot = ROOT / "bots/examples/python/bot.py"
    code = [line for line in bot.read_text().splitlines() if line and not line.strip().startswith('"""')]
    assert len(code) < 10

    played = asyncio.Event()

    async def script(line: Line) -> None:
        await line.begin("m")
        await line.say(decisions=[decision("m", 1)])
        await line.say(accepted=[accepted(await line.hear_choice())])
        played.set()
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        process = await start(address, [bot])
        await played.wait()
        process.terminate()
        assert (await outcome(process))[0] == 0


async def test_a_bot_from_the_protocol_alone_plays_a_match(tmp_path: Path) -> None:
    bot = ROOT / "bots/examples/python_proto_only/bot.py"
    assert "cutpurse_sdk" not in bot.read_text()

    async with scripted_service(tmp_path, one_match) as address:
        code, output, errors = await outcome(await start(address, [bot, "1"]))

    assert (code, output, errors) == (0, "match m: place 1\n", "")
