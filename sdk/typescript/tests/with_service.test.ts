/** The SDK at the real service: matches, refusals, restarts within a match, signals, encryption. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  connect,
  play,
  ServiceRefused,
  ServiceUnreachable,
  type Choose,
  type Options,
  type Summary,
} from "cutpurse-sdk";
import { Cause, ErrorReason, VoidCause, type MatchEnded } from "cutpurse-sdk/protocol";

import { Memory, quick, sleep } from "./scripted.js";
import { GAMES, Service } from "./service.js";

const byLot: Choose = ({ random, legal }) => random.choice(legal);

const service = new Service();
before(() => service.start());
after(() => service.remove());

/** What `play` is told at the service. */
function at(bot: { token: string }, more: Options = {}): Options {
  return quick(service.address, { token: bot.token, matches: 1, patienceMs: 60_000, ...more });
}

for (const game of Object.keys(GAMES)) {
  test(`bots of every form play one match of ${game} to its end`, async () => {
    const { ann, ben, cat } = await service.register("ann", "ben", "cat");
    const later: Choose = async ({ random, legal }) => {
      await sleep(0);
      return random.integer(legal.length);
    };
    const typed: Choose = (asked) => {
      const action = asked.random.choice(asked.legalActions);
      return asked.decision % 2 === 1 && action.game.value !== undefined ? action.game.value : action;
    };
    const match = await service.createMatch([ann, ben, cat], game);

    const ends = await Promise.all([
      play(byLot, at(ann)),
      play(later, at(ben)),
      play(typed, at(cat, { legalActions: true })),
    ]);

    assert.deepEqual(
      ends.map((end) => end.bot),
      [ann.name, ben.name, cat.name],
    );
    assert.ok(ends.every((end) => end.ending === "matches played" && end.refused === 0 && end.decisions > 3));
    assert.deepEqual(
      ends.map((end) => end.results[0]?.seat),
      [0, 1, 2],
    );
    const { resolved, result } = await service.story(match);
    assert.ok(ends.every((end) => end.results[0]?.result?.scores.join() === result.scores.join()));
    const choices = resolved.flatMap((each) => each.choices).filter((choice) => choice.cause !== Cause.FORCED);
    assert.ok(choices.every((choice) => choice.cause === Cause.CHOSEN));
    assert.equal(
      choices.length,
      ends.reduce((sum, end) => sum + end.decisions, 0),
    );
  });
}

test("several matches are played at once on one stream, and their news come in order", async () => {
  const { ann, ben } = await service.register("ann", "ben");
  const matches = await Promise.all(
    ["1", "2", "3", "4"].map((seed) => service.createMatch([ann, ben], "art_robbery", seed)),
  );
  const numbers = new Map(matches.map((match) => [match, [] as number[]]));
  const onNews: Options["onNews"] = ({ match, resolved }) =>
    numbers.get(match)?.push(...resolved.map((each) => each.number));

  const [one, other] = await Promise.all([
    play(byLot, at(ann, { matches: 4, onNews })),
    play(byLot, at(ben, { matches: 4 })),
  ]);

  assert.deepEqual([one.matches, other.matches], [4, 4]);
  for (const [match, heard] of numbers) {
    const { resolved } = await service.story(match);
    assert.deepEqual(
      heard,
      resolved.map((each) => each.number),
    );
  }
});

test("an illegal answer is put right and costs no strike", async () => {
  const { ann, ben } = await service.register("ann", "ben");
  const match = await service.createMatch([ann, ben]);

  const [one] = await Promise.all([play(() => "play N0 take 5.0 from 1", at(ann)), play(byLot, at(ben))]);

  assert.ok(one.decisions > 0);
  assert.equal(one.refused, one.decisions);
  assert.deepEqual((await service.story(match)).result.forfeited, []);
});

test("a token that is none is refused with its reason", async () => {
  await assert.rejects(play(byLot, at({ token: "wrong" })), (error) => {
    assert.ok(error instanceof ServiceRefused);
    assert.deepEqual([error.status, error.reason], ["UNAUTHENTICATED", ErrorReason.TOKEN_INVALID]);
    return true;
  });
});

test("a bot learns of an end that came while it was away", async () => {
  const { ann, ben } = await service.register("ann", "ben");
  const match = await service.createMatch([ann, ben]);
  const client = connect({ address: service.address, token: ann.token, logger: new Memory() });
  for await (const event of client) {
    assert.equal(event.kind === "offered" && event.offer.match, match);
    break;
  }

  await service.abortMatch(match);
  let ended: MatchEnded | undefined;
  for await (const event of client) {
    ended = event.kind === "ended" ? event.ended : undefined;
    break;
  }

  assert.deepEqual([ended?.match, ended?.voidCause], [match, VoidCause.ABORTED]);
});

test("a match outlives a stop and a kill of the service without a double answer", async () => {
  const { ann, ben } = await service.register("ann", "ben");
  const match = await service.createMatch([ann, ben]);
  const asked: number[] = [];
  const chosen: string[] = [];
  let goOn: () => void = () => undefined;
  const choose: Choose = async (decision) => {
    asked.push(decision.decision);
    chosen.push(byLot(decision) as string);
    if (decision.decision === 4 || decision.decision === 8) {
      // Now the service is stopped; the answer comes while it is away.
      goOn();
      await sleep(50);
    }
    return chosen.at(-1) as string;
  };
  const playing = Promise.all([play(choose, at(ann)), play(byLot, at(ben))]);

  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await service.stop(signal);
    await service.start();
  }
  const [one, other] = await playing;

  assert.deepEqual(
    asked,
    Array.from(asked, (_, index) => index + 1),
  );
  assert.ok(asked.length >= 8);
  assert.deepEqual([one.refused, other.refused], [0, 0]);
  const { resolved, result } = await service.story(match);
  const mine = resolved.flatMap((each) => each.choices).filter((choice) => choice.seat === 0);
  assert.deepEqual(
    mine.map((choice) => choice.notation),
    chosen,
  );
  assert.deepEqual(result.forfeited, []);
});

test("two processes of one bot, which answer the same decisions, make one move each time", async () => {
  const { ann, ben } = await service.register("ann", "ben");
  const match = await service.createMatch([ann, ben]);
  const logger = new Memory();

  const ends = await Promise.all([
    play(byLot, at(ann, { seed: "s", logger })),
    play(byLot, at(ann, { seed: "another", logger })),
    play(byLot, at(ben)),
  ]);

  const { resolved, result } = await service.story(match);
  const moves = resolved.flatMap((each) => each.choices).filter((choice) => choice.cause === Cause.CHOSEN);
  assert.equal(
    moves.length,
    ends.reduce((sum, end) => sum + end.decisions, 0),
  );
  // Whoever comes second is told so, which is no fault; after the very last move, that the match is over.
  assert.deepEqual(
    logger.warnings.filter((line) => !line.includes("MATCH_OVER")),
    [],
  );
  assert.deepEqual(result.forfeited, []);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`a bot that is a program plays until ${signal} and ends in good order`, async () => {
    const { ann, ben } = await service.register("ann", "ben");
    const environment = { ...process.env, CUTPURSE_ADDRESS: service.address, CUTPURSE_TOKEN: ann.token };
    const program = fileURLToPath(new URL("program.js", import.meta.url));
    const bot = spawn(process.execPath, [program], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
    await service.createMatch([ann, ben]);
    await play(byLot, at(ben));

    bot.kill(signal);
    const [output] = (await once(bot.stdout, "data")) as [Buffer];
    const [code] = (await once(bot, "exit")) as [number];

    const summary = JSON.parse(output.toString()) as Summary;
    assert.equal(code, 0);
    assert.equal(summary.ending, "stopped");
    assert.ok(summary.decisions > 3);
  });
}

test("the connection is encrypted, and a service of another authority is none", async () => {
  const port = await freePort();
  const [certificate, key, other] = ["a.pem", "a.key", "b.pem"].map((name) => `${service.folder}/${name}`) as [
    string,
    string,
    string,
  ];
  makeCertificate(certificate, key);
  makeCertificate(other, `${service.folder}/b.key`);
  const encrypted = new Service({ certificate, key, port });
  try {
    await encrypted.start();
    const { ann, ben } = await encrypted.register("ann", "ben");
    await encrypted.createMatch([ann, ben]);
    const there = { address: encrypted.address, ca: certificate };
    const ends = await Promise.all([play(byLot, at(ann, there)), play(byLot, at(ben, there))]);
    assert.deepEqual(
      ends.map((end) => end.matches),
      [1, 1],
    );

    await assert.rejects(play(byLot, at(ann, { ...there, ca: other, patienceMs: 200 })), (error) => {
      assert.ok(error instanceof ServiceUnreachable);
      assert.match(error.message, /certificate/);
      return true;
    });
  } finally {
    await encrypted.remove();
  }
});

function makeCertificate(certificate: string, key: string): void {
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...kind, ...names, "-keyout", key, "-out", certificate], { stdio: "ignore" });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
