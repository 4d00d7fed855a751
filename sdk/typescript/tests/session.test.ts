/** Frames: how much goes into one, and in which order. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { create, toBinary } from "@bufbuild/protobuf";
import { Backoff, Randomness, type Decision } from "cutpurse-sdk";
import { ConnectRequestSchema, ConnectResponseSchema, type ConnectRequest } from "cutpurse-sdk/protocol";

import { FRAME_BYTES_MAX, PIECES_PER_FRAME_MAX, Session } from "#sdk/session.js";
import { accepted, decision, Memory, offer, refused } from "./scripted.js";

/** A session with one open decision in each of so many matches. */
function asked(matches: number): { session: Session; decisions: Decision[] } {
  const session = new Session(new Randomness("s"), new Memory());
  const names = Array.from({ length: matches }, (_, index) => `match-${index}`);
  const frame = create(ConnectResponseSchema, {
    offers: names.map(offer),
    decisions: names.map((name) => decision(name, 1)),
  });
  const events = session.receive(frame);
  return { session, decisions: events.flatMap((event) => (event.kind === "decision" ? event.decision : [])) };
}

function framesOf(session: Session): ConnectRequest[] {
  const frames = [];
  for (let frame = session.nextFrame(); frame !== undefined; frame = session.nextFrame()) {
    frames.push(frame);
  }
  return frames;
}

test("a frame holds at most so many choices and readies", () => {
  const { session, decisions } = asked(PIECES_PER_FRAME_MAX + 1);
  for (const each of decisions) {
    session.ready(each.match);
    session.answer(each, 0);
  }
  session.frameBytesMax = 1024 * 1024;

  const frames = framesOf(session);

  assert.deepEqual(
    frames.map((frame) => [frame.readies.length, frame.choices.length]),
    [
      [PIECES_PER_FRAME_MAX, PIECES_PER_FRAME_MAX],
      [1, 1],
    ],
  );
});

for (const bytesMax of [FRAME_BYTES_MAX, 5_000]) {
  test(`a frame is no larger than the ${bytesMax} bytes that the service reads`, () => {
    const { session, decisions } = asked(200);
    session.frameBytesMax = bytesMax;
    for (const each of decisions) session.answer(each, "x".repeat(1000));

    const frames = framesOf(session);

    assert.ok(frames.length > 1);
    assert.ok(frames.every((frame) => toBinary(ConnectRequestSchema, frame).length <= bytesMax));
    assert.deepEqual(
      frames.flatMap((frame) => frame.choices.map((choice) => choice.match)),
      decisions.map((each) => each.match),
    );
  });
}

test("an answer larger than a frame is sent for the service to refuse", () => {
  const { session, decisions } = asked(2);
  session.frameBytesMax = 100;
  for (const each of decisions) session.answer(each, "x".repeat(1000));

  assert.deepEqual(
    framesOf(session).map((frame) => frame.choices.length),
    [1, 1],
  );
});

test("request ids are different within a process and between two", () => {
  const ids = [0, 1].flatMap(() => {
    const { session, decisions } = asked(3);
    for (const each of decisions) session.answer(each, 0);
    return framesOf(session).flatMap((frame) => frame.choices.map((choice) => choice.requestId.join()));
  });

  assert.equal(new Set(ids).size, 6);
});

test("a decision is answered once", () => {
  const { session, decisions } = asked(1);
  const [only] = decisions;
  assert.ok(only);

  assert.ok(session.isOpen(only));
  assert.equal(session.answer(only, 0), true);
  assert.equal(session.answer(only, 1), false);
  assert.ok(!session.isOpen(only));
  assert.equal(framesOf(session).length, 1);
});

test("an answer that was not even sent is sent once on the next stream", () => {
  const { session, decisions } = asked(1);
  for (const each of decisions) session.answer(each, 0);

  session.beginStream();

  assert.deepEqual(
    framesOf(session).map((frame) => frame.choices.length),
    [1],
  );
});

test("nothing is owed for a decision that the next one overtook", () => {
  const { session, decisions } = asked(1);
  for (const each of decisions) session.answer(each, 0);
  assert.equal(session.owed, 1);

  session.receive(create(ConnectResponseSchema, { decisions: [decision("match-0", 2)] }));

  assert.equal(session.owed, 0);
  session.beginStream();
  assert.deepEqual(framesOf(session), []);
});

test("an answer that cannot be written down is tried so often and no more", () => {
  const { session, decisions } = asked(1);
  for (const each of decisions) session.answer(each, 0);
  let tries = 0;
  for (let [frame] = framesOf(session); frame?.choices[0] !== undefined; [frame] = framesOf(session)) {
    tries += 1;
    session.receive(create(ConnectResponseSchema, { refused: [refused(frame.choices[0], "INTERNAL")] }));
    session.sendPostponed();
  }

  assert.equal(tries, 101);
  assert.equal(session.owed, 0);
});

test("a postponed answer that was accepted after all is not said again", () => {
  const { session, decisions } = asked(1);
  for (const each of decisions) session.answer(each, 0);
  const choice = framesOf(session)[0]?.choices[0];
  assert.ok(choice);

  session.receive(create(ConnectResponseSchema, { refused: [refused(choice, "RATE_LIMITED")] }));
  session.receive(create(ConnectResponseSchema, { accepted: [accepted(choice)] }));
  session.sendPostponed();

  assert.deepEqual(framesOf(session), []);
  assert.equal(session.accepted, 1);
});

test("pauses grow to a bound and are never the same", () => {
  const backoff = new Backoff({ firstMs: 100, factor: 2, longestMs: 1_000 });

  for (const [attempt, longest] of [
    [1, 100],
    [2, 200],
    [4, 800],
    [9, 1_000],
    [10_000, 1_000],
  ] as const) {
    const pauses = Array.from({ length: 50 }, () => backoff.pauseMs(attempt));
    assert.ok(Math.min(...pauses) >= longest / 2);
    assert.ok(Math.max(...pauses) <= longest);
    assert.ok(new Set(pauses).size > 1);
  }
});

test("a match whose end was asked for is not begun anew by an offer that was on its way", () => {
  const { session } = asked(1);
  session.beginStream();
  const ended = { match: "match-0", seat: 0 };

  const first = session.receive(create(ConnectResponseSchema, { ended: [ended] }));
  const late = session.receive(create(ConnectResponseSchema, { offers: [offer("match-0")], ended: [ended] }));

  assert.deepEqual(
    [first, late].map((events) => events.map((event) => event.kind)),
    [["ended"], []],
  );
});
