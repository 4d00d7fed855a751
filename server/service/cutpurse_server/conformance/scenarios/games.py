"""All games, with all numbers of seats, and several matches at once."""

from __future__ import annotations

from functools import partial

from cutpurse_rules import GAMES
from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import Stage, Terms

__all__ = ["PLAYED"]

_AT_ONCE = 12
_SEATS = {"art_robbery": range(2, 6), "big_max": range(3, 9), "shadow_thief": range(3, 8)}


async def _play_game(game: str, stage: Stage) -> None:
    await stage.arrive()
    for players in _SEATS[game]:
        # The game as it is played, from another seat each time.
        await stage.play(Terms(game, players, {}), seat=players // 2)


async def _play_at_the_same_time(stage: Stage) -> None:
    await stage.arrive()
    terms = Terms("shadow_thief", 4, {"deals": 1})
    await stage.play(terms, seat=1)
    # Now nobody else chooses before the bot has.
    stage.opponents.last = True
    await stage.play(terms, seat=2)


async def _play_many(stage: Stage) -> None:
    await stage.arrive()
    stage.opponents.pause_s = 0.01
    matches = [await stage.begin(seat=number % stage.quick.players) for number in range(_AT_ONCE)]
    for match in matches:
        await stage.over(match)
        await stage.played_well(match)


async def _keep_one_waiting(stage: Stage) -> None:
    await stage.arrive()
    slow = "slow-match"
    stage.opponents.silent.add(slow)
    await stage.begin(match=slow)
    await stage.until(lambda: slow in stage.ledger.readies, f"it had not said Ready for match {slow}")
    try:
        await stage.play()
    except Shortcoming as shortcoming:
        raise Shortcoming(f"while another match waited for an opponent, {shortcoming}") from None
    await stage.void(slow)


def _of(game: str) -> Scenario:
    seats = _SEATS[game]
    return Scenario(
        game.replace("_", "-"),
        f"plays whole matches of {GAMES[game].name} with {seats[0]} to {seats[-1]} seats",
        "Each number of seats has rules of its own somewhere, and each game decisions that come up seldom.",
        "Choose from `legal` and from nothing else: what is listed there is legal, and what is not is refused. If the "
        f"bot does not play this game at all, leave it out: name those that it plays with --game, other than {game}.",
        partial(_play_game, game),
        ("plays-on",),
        game,
    )


PLAYED = (
    *(_of(game) for game in _SEATS),
    Scenario(
        "same-time",
        "chooses while others choose, without waiting for them",
        "In some decisions several seats choose at the same time, and nobody hears of a choice before all have chosen.",
        "Answer every Decision when it comes. Do not wait for news of other seats first.",
        _play_at_the_same_time,
        ("shadow-thief",),
        "shadow_thief",
    ),
    Scenario(
        "many-matches",
        "plays a dozen matches at once on one stream",
        "A tournament plays several matches of a bot side by side; one frame may hold offers and decisions of many.",
        "Go through all offers and all decisions of every frame, and keep what you remember apart by match.",
        _play_many,
        ("plays-on",),
    ),
    Scenario(
        "one-waits",
        "goes on with one match while another waits for an opponent",
        "A match may stand still for minutes because somebody else thinks; the clocks of your other matches run.",
        "Do not finish one match before you answer in the next: whatever Decision comes is to be answered.",
        _keep_one_waiting,
        ("many-matches",),
    ),
)
