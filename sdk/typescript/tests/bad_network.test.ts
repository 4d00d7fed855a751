/** Connections are cut and what passes through them is lost, again and again: every decision is one move all the same. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { play, Randomness, type Choose } from "cutpurse-sdk";
import { Cause } from "cutpurse-sdk/protocol";

import { quick } from "./scripted.js";
import { Relay } from "./relay.js";
import { GAMES, Service } from "./service.js";

const service = new Service();
before(() => service.start());
after(() => service.remove());

for (const game of Object.keys(GAMES)) {
  test(`every decision of ${game} is one move, the one that was chosen, over a bad network`, async () => {
    const bots = Object.values(await service.register("ann", "ben", "cat"));
    const matches = await Promise.all(["1", "2"].map((seed) => service.createMatch(bots, game, seed)));
    const lots = new Randomness("a bad network").source(game, 0, 1);
    const relay = new Relay(`${service.folder}/${game}.sock`, service.address.slice("unix:".length), lots);
    await relay.start();
    const chosen = new Map<string, string[]>();
    const latest = new Map<string, number>();
    const choose: Choose = ({ match, seat, decision, legal, random }) => {
      const place = `${match}/${seat}`;
      // Numbers may leave out what the rules decided.
      assert.ok(decision > (latest.get(place) ?? 0), "no decision is asked twice");
      latest.set(place, decision);
      const action = random.choice(legal);
      chosen.set(place, [...(chosen.get(place) ?? []), action]);
      return action;
    };

    const options = { matches: matches.length, patienceMs: 60_000 };
    const ends = await Promise.all(
      bots.map(({ token }) => play(choose, quick(`unix:${relay.path}`, { ...options, token }))),
    ).finally(() => relay.stop());

    assert.ok([...relay.deaths.values()].reduce((sum, deaths) => sum + deaths, 0) >= 8);
    assert.ok(relay.deaths.size >= 3);
    assert.ok(ends.every((end) => end.matches === matches.length && end.refused === 0));
    for (const match of matches) {
      const { resolved, result } = await service.story(match);
      assert.deepEqual(result.forfeited, []);
      for (const seat of bots.keys()) {
        const moves = resolved.flatMap((each) => each.choices).filter((choice) => choice.seat === seat);
        assert.ok(moves.every(({ cause }) => cause === Cause.CHOSEN || cause === Cause.FORCED));
        assert.deepEqual(
          moves.filter(({ cause }) => cause === Cause.CHOSEN).map(({ notation }) => notation),
          chosen.get(`${match}/${seat}`) ?? [],
        );
      }
    }
  });
}
