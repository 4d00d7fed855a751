"""The house bots as the service finds and calls them: pure functions with legal answers; greedy at Art Robbery."""

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points

import pytest

from cutpurse.v1 import art_robbery_pb2, game_pb2, match_pb2
from cutpurse_bots import greedy, greedy_art_robbery
from cutpurse_rules.catalogue import GAMES
from cutpurse_rules.chance import StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.playthrough import Ended, play_through
from cutpurse_server.wire.games import GAME_WIRE
from tests.sdk.scripted import decision

Bot = Callable[[match_pb2.Decision, bytes], str]

BOTS: dict[str, Bot] = {point.name: point.load() for point in entry_points(group="cutpurse.bots")}
KEY = bytes(32)


def play(game_id: str, bots: Sequence[Bot], seed: str, options: dict[str, object] | None = None) -> list[str]:
    """A match on the rules; all answers in order."""
    game, wire = GAMES[game_id], GAME_WIRE[game_id]
    counts: Counter[int] = Counter()
    answers = []

    def choose(state: object, seat: Seat) -> object:
        counts[seat] += 1
        actions = {action.notation: action for action in game.legal(state, seat)}
        message = match_pb2.Decision(match=seed, decision=counts[seat], seat=seat, legal=actions)
        wire.fill_view(game.view(state, seat), message.view)
        answers.append(bots[seat](message, f"{seed}/{seat}".encode()))
        # Looking an answer up among the legal ones fails for any other.
        return actions[answers[-1]]

    chance = StreamChance(key_of_seed(seed))
    *_, last = play_through(game, game.configure(len(bots), options), chance, choose)
    assert isinstance(last, Ended)
    return answers


def test_the_arena_has_three_house_bots() -> None:
    assert set(BOTS) == {"random", "first", "greedy"}


def test_first_takes_the_first() -> None:
    assert BOTS["first"](decision("m", 1, "play GD", "play BS"), KEY) == "play GD"


def test_random_is_a_function_of_key_match_seat_and_decision() -> None:
    legal = [f"play N{number}" for number in range(6)]

    def drawn(key: bytes, match: str, seat: int) -> list[str]:
        asked = [decision(match, number, *legal) for number in range(1, 31)]
        for each in asked:
            each.seat = seat
        return [BOTS["random"](each, key) for each in asked]

    assert drawn(KEY, "m", 0) == drawn(KEY, "m", 0)
    assert len({tuple(drawn(*case)) for case in ((KEY, "m", 0), (b"k", "m", 0), (KEY, "n", 0), (KEY, "m", 1))}) == 4


def test_random_takes_every_action_equally_often() -> None:
    legal = [f"play N{number}" for number in range(6)]

    counts = Counter(BOTS["random"](decision("m", number, *legal), KEY) for number in range(6000))

    # Five degrees of freedom: a fair lot stays below this in all but one of ten thousand runs, and this one is pinned.
    assert sum((counts[action] - 1000) ** 2 / 1000 for action in legal) < 25.7


TABLES = [(game.id, players) for game in GAMES.values() for players in range(game.min_players, game.max_players + 1)]

OPTIONS: dict[str, dict[str, object]] = {
    "art_robbery": {"tiles": {"1.1": 3, "5.0": 1}, "heist_turn_limit": 12},
    "big_max": {"deck": {"SC": 30, "T2": 20, "GM": 20, "CS": 10}, "turn_limit": 90},
    "shadow_thief": {"deck": {"B1": 30, "R9": 30, "S4": 20, "S15": 5, "TX": 1}, "auto_play_forced": False},
}
"""By game, something that the page does not have: decks of few kinds, short limits."""


@pytest.mark.parametrize(("game", "players"), TABLES)
@pytest.mark.parametrize("unusual", [False, True])
def test_every_answer_of_every_house_bot_is_legal(game: str, players: int, unusual: bool) -> None:
    for number in range(4):
        bots = [list(BOTS.values())[(seat + number) % 3] for seat in range(players)]
        assert play(game, bots, f"legal/{players}/{number}", OPTIONS.get(game) if unusual else None)


@pytest.mark.parametrize("game", GAMES)
def test_a_house_bot_plays_the_same_match_the_same_way_again(game: str) -> None:
    bots = [BOTS["greedy"], BOTS["random"], BOTS["greedy"]]

    assert play(game, bots, "again") == play(game, bots, "again")


@pytest.mark.parametrize("game", greedy.GAMES)
def test_greedy_plays_a_game_that_it_knows_by_a_strategy_of_its_own(game: str) -> None:
    # What greedy does not know it plays like `first`.
    assert greedy.GAMES.keys() <= GAMES.keys()
    assert play(game, [BOTS["greedy"]] * 3, "own") != play(game, [BOTS["first"]] * 3, "own")


def tile_name(notation: str) -> str:
    """The enum's name of a tile."""
    return f"ART_ROBBERY_TILE_{notation.replace('.', '_')}"


def chosen(legal: Sequence[str], **table: object) -> str:
    """What greedy does as seat 0 at this table, with lists of tiles by seat for `front` and `safe`."""
    message = decision("m", 1, *legal)
    view = art_robbery_pb2.ArtRobberyTable(heist=4, turn=3, turn_seat=0)
    for name, value in table.items():
        if name in ("front", "safe"):
            assert isinstance(value, list)
            for seat, tiles in enumerate(value):
                getattr(view, name).extend(art_robbery_pb2.ArtRobberyTile.Value(tile_name(tile)) for tile in tiles)
                getattr(view, f"{name}_seats").extend([seat] * len(tiles))
            view.hand_sizes[:] = [5] * len(value)
        elif name == "middle":
            assert isinstance(value, list)
            view.middle.extend(art_robbery_pb2.ArtRobberyTile.Value(tile_name(tile)) for tile in value)
        elif isinstance(value, art_robbery_pb2.ArtRobberyTaking):
            view.taking.CopyFrom(value)
        else:
            setattr(view, name, value)
    message.view.CopyFrom(game_pb2.View(art_robbery=art_robbery_pb2.ArtRobberyView(seat=0, table=view)))
    return greedy_art_robbery.choose(message, KEY)


def test_greedy_takes_alibis_when_it_would_be_caught_and_values_when_it_is_safe() -> None:
    legal = ["play GT take 0.3 from middle", "play GT take 5.0 from middle"]
    rest: dict[str, object] = {"middle": ["0.3", "5.0"], "front": [[], [], []]}

    short = chosen(legal, safe=[["0.2", "4.0"], ["0.3", "3.0"], ["0.3", "0.2"]], **rest)
    safe = chosen(legal, safe=[["0.3"] * 4, ["0.2", "5.0"], ["0.2", "0.3"]], **rest)

    assert short == "play GT take 0.3 from middle"
    assert safe == "play GT take 5.0 from middle"


def test_greedy_covers_its_boss_tile_before_the_heist_ends() -> None:
    legal = ["play N3 take 3.0 from middle", "play N4 take 4.0 from 1"]

    taken = chosen(legal, middle=["3.0"], front=[["BOSS"], ["4.0"], []], safe=[["0.3"] * 3, ["0.3"] * 2, ["0.3"] * 2])

    assert taken == "play N4 take 4.0 from 1"


def test_greedy_robs_whoever_is_ahead() -> None:
    legal = ["play N3 take 3.0 from 1", "play N3 take 3.0 from 2"]
    safe = [["0.3", "0.3", "5.0"], ["0.3", "0.3", "3.0", "3.0"], ["0.3", "0.3", "1.1"]]

    taken = chosen(legal, middle=["0.2"], front=[[], ["3.0"], ["3.0"]], safe=safe)

    assert taken == "play N3 take 3.0 from 1"


def test_greedy_gives_the_dog_to_keep_the_tile_that_wins() -> None:
    taking = art_robbery_pb2.ArtRobberyTaking(
        card=art_robbery_pb2.ART_ROBBERY_CARD_N5, seat=1, from_seat=0, tile=art_robbery_pb2.ART_ROBBERY_TILE_5_0
    )
    answer = chosen(
        ["give tile", "give dog"], taking=taking, dog=0, middle=["0.2"], front=[["5.0"], []], safe=[["0.3"], ["0.3"]]
    )

    assert answer == "give dog"
