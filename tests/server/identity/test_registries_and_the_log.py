"""Several registries over one log, and what becomes of one whose log fails."""

import asyncio

import pytest

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Bot, Caller, Registry, Role
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.wire import identity_events
from tests.server.identity.store import Store


async def test_another_registry_learns_of_bots_and_tokens_at_first_sight(registry: Registry, store: Store) -> None:
    other = Registry(store, identity_events)
    assert await other.list_bots() == [Bot("greedy", "ada")]

    await registry.register_bot("new", "eve")
    token, token_id = await registry.issue_token(Role.BOT, "new")

    assert await other.authenticate(token) == Caller(Role.BOT, "new", "eve", token_id)
    await registry.register_bot("newer", "eve")
    assert await other.owner_of("newer") == "eve"


async def test_another_registry_refuses_a_revoked_token_within_a_second(registry: Registry, store: Store) -> None:
    other = Registry(store, identity_events)
    token, token_id = await registry.issue_token(Role.BOT, "greedy")
    assert await other.authenticate(token) is not None

    await registry.revoke_token(token_id)
    store.at_ms += 1_000

    assert await other.authenticate(token) is None


async def test_a_known_token_costs_no_reading_within_a_second(registry: Registry, store: Store) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy")
    await registry.authenticate(token)
    before = store.reads

    store.at_ms += 999
    for _ in range(100):
        assert await registry.authenticate(token) is not None

    assert store.reads - before <= 1


async def test_registries_that_write_at_the_same_time_lose_nothing(registry: Registry, store: Store) -> None:
    other = Registry(store, identity_events)
    registering = [
        each.register_bot(f"bot-{n}-{i}", "ada") for n, each in enumerate((registry, other)) for i in range(5)
    ]
    await asyncio.gather(*registering)
    results = await asyncio.gather(
        registry.register_bot("same", "ada"), other.register_bot("same", "eve"), return_exceptions=True
    )
    issued = await asyncio.gather(*[each.issue_token(Role.BOT, "same") for each in (registry, other) for _ in range(5)])

    bots = await registry.list_bots()
    assert bots == await other.list_bots()
    assert len(bots) == 12
    refusals = [result for result in results if isinstance(result, ServiceError)]
    assert [refusal.reason for refusal in refusals] == [ErrorReason.NAME_TAKEN]
    assert sorted(int(token_id) for _, token_id in issued) == list(range(1, 11))
    for token, token_id in issued:
        for each in (registry, other):
            caller = await each.authenticate(token)
            assert caller is not None
            assert caller.token_id == token_id


async def test_the_stream_is_chained(registry: Registry, store: Store) -> None:
    _, token_id = await registry.issue_token(Role.BOT, "greedy")
    await Registry(store, identity_events).register_bot("other", "ada")
    await registry.revoke_token(token_id)

    head = await store.head("identity")

    assert head is not None
    assert (head.version, head.closed) == (4, False)
    assert head.chain == links(first_link("identity"), await store.read("identity"))


async def test_without_a_log_nobody_is_let_in_by_what_was_known(registry: Registry, store: Store) -> None:
    token, _ = await registry.issue_token(Role.BOT, "greedy")
    assert await registry.authenticate(token) is not None
    store.unavailable = True
    store.at_ms += 1_000

    with pytest.raises(LogUnavailable):
        await registry.authenticate(token)
    with pytest.raises(LogUnavailable):
        await registry.register_bot("new", "ada")

    store.unavailable = False
    assert await registry.authenticate(token) is not None
    assert await registry.list_bots() == [Bot("greedy", "ada")]
