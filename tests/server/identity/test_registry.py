"""Bots, tokens and callers, through a registry over a log and through two over one."""

import base64
import string
from hashlib import sha256

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Bot, Caller, Registry, Role
from cutpurse_server.wire import identity_events
from tests.server.identity.store import Store

# Tokens.


@pytest.mark.parametrize("role", [Role.BOT, Role.PLAYER])
async def test_a_playing_token_tells_role_bot_and_owner(registry: Registry, role: Role) -> None:
    token, token_id = await registry.issue_token(role, "greedy", 0)

    assert await registry.authenticate(token) == Caller(role, "greedy", "ada", token_id)


@pytest.mark.parametrize("role", [Role.ORGANISER, Role.SPECTATOR, Role.AUDITOR])
async def test_another_token_tells_its_role_and_belongs_to_no_bot(registry: Registry, role: Role) -> None:
    token, token_id = await registry.issue_token(role)

    assert await registry.authenticate(token) == Caller(role, "", "", token_id)


async def test_callers_have_names_of_their_own(registry: Registry) -> None:
    tokens = [await registry.issue_token(Role.ORGANISER), await registry.issue_token(Role.ORGANISER)]
    tokens.append(await registry.issue_token(Role.BOT, "greedy"))

    callers = [await registry.authenticate(token) for token, _ in tokens]

    assert [caller.name for caller in callers if caller] == ["organiser#1", "organiser#2", "greedy"]


async def test_a_token_is_32_bytes_of_chance(store: Store) -> None:
    drawn = bytes(range(200, 232))
    registry = Registry(store, identity_events, lambda count: drawn[:count])

    token, token_id = await registry.issue_token(Role.ORGANISER)

    assert token == "cutp_" + base64.urlsafe_b64encode(drawn).decode().rstrip("=")
    assert token_id == "1"


async def test_tokens_differ(registry: Registry) -> None:
    issued = [await registry.issue_token(Role.BOT, "greedy") for _ in range(20)]

    assert len({token for token, _ in issued}) == 20
    assert [token_id for _, token_id in issued] == [str(number) for number in range(1, 21)]


async def test_only_the_hash_of_a_token_is_kept(registry: Registry, store: Store) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy")

    kept = b"".join(each.public + each.secret for each in await store.read("identity"))

    assert sha256(token.encode()).digest() in kept
    assert token.encode() not in kept
    assert token.removeprefix("cutp_").encode() not in kept
    assert base64.urlsafe_b64decode(token.removeprefix("cutp_") + "=") not in kept


async def test_a_token_ends_with_its_time(registry: Registry, store: Store) -> None:
    token, token_id = await registry.issue_token(Role.BOT, "greedy", 60)

    store.at_ms += 59_999
    assert await registry.authenticate(token) == Caller(Role.BOT, "greedy", "ada", token_id)
    store.at_ms += 1
    assert await registry.authenticate(token) is None


async def test_a_token_without_an_end_does_not_end(registry: Registry, store: Store) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy", 0)

    store.at_ms += 10**12

    assert await registry.authenticate(token) is not None


async def test_a_revoked_token_ends_at_once_and_no_other_does(registry: Registry) -> None:
    token, token_id = await registry.issue_token(Role.BOT, "greedy")
    other, _ = await registry.issue_token(Role.BOT, "greedy")

    await registry.revoke_token(token_id)

    assert await registry.authenticate(token) is None
    assert await registry.authenticate(other) is not None


async def test_revoking_twice_is_one_event(registry: Registry, store: Store) -> None:
    _, token_id = await registry.issue_token(Role.BOT, "greedy")
    await registry.revoke_token(token_id)
    before = await store.read("identity")

    await registry.revoke_token(token_id)

    assert await store.read("identity") == before


async def test_numbers_of_revoked_tokens_are_not_used_again(registry: Registry) -> None:
    _, first = await registry.issue_token(Role.BOT, "greedy")
    await registry.revoke_token(first)

    _, second = await registry.issue_token(Role.BOT, "greedy")

    assert second != first


async def test_unknown_tokens_are_nobodys(registry: Registry) -> None:
    await registry.issue_token(Role.BOT, "greedy")

    for token in ("", "cutp_", "cutp_" + "A" * 43, "cutp_" + "ä" * 43, "cutp_" + "\ud800" * 43, "x" * 10_000_000):
        assert await registry.authenticate(token) is None


async def test_a_token_that_differs_in_one_character_is_nobodys(registry: Registry) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy")

    for at in range(len(token)):
        # The last character carries four bits; one that only differs in the two unused ones is another text too.
        for character in "A", "B", "_":
            tampered = token[:at] + character + token[at + 1 :]
            if tampered != token:
                assert await registry.authenticate(tampered) is None
    for tampered in (token + "=", token + " ", " " + token, token.upper(), token[:-1]):
        assert await registry.authenticate(tampered) is None


async def test_what_has_not_the_form_of_a_token_costs_no_reading(registry: Registry, store: Store) -> None:
    before = store.reads

    for token in ("", "guess", "cutp_short", "Cutp_" + "A" * 43):
        assert await registry.authenticate(token) is None

    assert store.reads == before


@pytest.mark.parametrize(
    ("role", "bot", "valid_s", "reason"),
    [
        (Role.BOT, "nobody", 0, ErrorReason.BOT_UNKNOWN),
        (Role.BOT, "", 0, ErrorReason.BOT_UNKNOWN),
        (Role.PLAYER, "nobody", 0, ErrorReason.BOT_UNKNOWN),
        (Role.ORGANISER, "greedy", 0, ErrorReason.MALFORMED),
        (Role.BOT, "greedy", -1, ErrorReason.MALFORMED),
        (Role.BOT, "greedy", 315_360_001, ErrorReason.MALFORMED),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused(
    registry: Registry, store: Store, role: Role, bot: str, valid_s: int, reason: ErrorReason
) -> None:
    before = await store.read("identity")

    with pytest.raises(ServiceError) as refusal:
        await registry.issue_token(role, bot, valid_s)

    assert refusal.value.reason is reason
    assert await store.read("identity") == before


async def test_ten_years_are_allowed(registry: Registry, store: Store) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy", 315_360_000)

    store.at_ms += 315_360_000 * 1_000 - 1

    assert await registry.authenticate(token) is not None


async def test_revoking_what_never_was_is_refused(registry: Registry) -> None:
    with pytest.raises(ServiceError) as refusal:
        await registry.revoke_token("7")

    assert refusal.value.reason is ErrorReason.MALFORMED


async def test_whether_a_role_has_a_valid_token(registry: Registry, store: Store) -> None:
    assert not await registry.has_role(Role.ORGANISER)
    _, token_id = await registry.issue_token(Role.ORGANISER)
    assert await registry.has_role(Role.ORGANISER)
    assert not await registry.has_role(Role.AUDITOR)

    await registry.revoke_token(token_id)
    assert not await registry.has_role(Role.ORGANISER)

    await registry.issue_token(Role.ORGANISER, valid_s=1)
    assert await registry.has_role(Role.ORGANISER)
    store.at_ms += 1_000
    assert not await registry.has_role(Role.ORGANISER)


async def test_whether_a_token_that_was_valid_still_is(registry: Registry, store: Store) -> None:
    _, revoked = await registry.issue_token(Role.BOT, "greedy")
    _, expiring = await registry.issue_token(Role.BOT, "greedy", 60)
    assert await registry.is_valid(revoked)
    assert await registry.is_valid(expiring)
    assert not await registry.is_valid("99")

    await registry.revoke_token(revoked)
    assert not await registry.is_valid(revoked)
    assert await registry.is_valid(expiring)

    store.at_ms += 60_000
    assert not await registry.is_valid(expiring)


async def test_another_registrys_revocation_is_known_within_a_second(registry: Registry, store: Store) -> None:
    other = Registry(store, identity_events)
    _, token_id = await registry.issue_token(Role.BOT, "greedy")
    assert await other.is_valid(token_id)

    await registry.revoke_token(token_id)
    store.at_ms += 1_000

    assert not await other.is_valid(token_id)


async def test_a_bot_is_a_persons_while_it_has_a_players_token(registry: Registry, store: Store) -> None:
    await registry.register_bot("person", "bob")
    await registry.issue_token(Role.BOT, "person")
    assert not await registry.is_player("person")

    await registry.issue_token(Role.PLAYER, "person", 60)
    assert await registry.is_player("person")
    assert not await registry.is_player("greedy")

    store.at_ms += 60_000
    assert not await registry.is_player("person")


# Names.

GOOD_NAMES = ["a", "7", "Greedy-2", "a.b_c-d", "-", "." * 64, string.ascii_letters, string.digits + "_.-"]
BAD_NAMES = ["", "a" * 65, "a b", "a/b", "ä", "a\n", "\n", "organiser#1", "a\x00", "٣", "\ud800"]


@pytest.mark.parametrize("name", GOOD_NAMES)
async def test_good_names_can_be_registered(registry: Registry, name: str) -> None:
    await registry.register_bot(name, name)

    assert await registry.owner_of(name) == name


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("what", ["bot", "owner"])
async def test_bad_names_are_refused(registry: Registry, name: str, what: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        await registry.register_bot(**{"bot": "fine", "owner": "fine", what: name})

    assert refusal.value.reason is ErrorReason.MALFORMED
    assert what in refusal.value.text
    assert await registry.list_bots() == [Bot("greedy", "ada")]


@pytest.mark.parametrize("owner", ["ada", "eve"])
async def test_a_name_that_is_taken_is_refused(registry: Registry, owner: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        await registry.register_bot("greedy", owner)

    assert refusal.value.reason is ErrorReason.NAME_TAKEN
    assert await registry.owner_of("greedy") == "ada"


async def test_bots_are_listed_by_name(registry: Registry) -> None:
    for bot, owner in (("zed", "ada"), ("Bob", "bob"), ("alf", "ada")):
        await registry.register_bot(bot, owner)

    assert await registry.list_bots() == [Bot("Bob", "bob"), Bot("alf", "ada"), Bot("greedy", "ada"), Bot("zed", "ada")]
    assert await registry.owner_of("nobody") is None
