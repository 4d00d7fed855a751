/** A bot at a scripted service: the way of a match, answers of every kind, what goes wrong in `choose`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { create, equals, toBinary, fromBinary } from "@bufbuild/protobuf";
import {
  AnswerInvalid,
  ChoiceNotTaken,
  play,
  ServiceRefused,
  SettingsInvalid,
  type Answer,
  type Choose,
  type Options,
} from "cutpurse-sdk";
import {
  ActionSchema,
  ArtRobberyActionSchema,
  ArtRobberyCard,
  ChoiceSchema,
  ErrorReason,
  DecisionSchema,
  ReadySchema,
  ViewSchema,
  type MatchNews,
  type VoidCause,
} from "cutpurse-sdk/protocol";

import { accepted, decision, ended, Memory, quick, refused, scripted, sleep, type Script } from "./scripted.js";

const first: Choose = (asked) => asked.legal[0] ?? "";

/** A script in which one decision is asked and nothing more is heard. */
const askInVain: Script = async (line) => {
  await line.begin("m");
  line.say({ decisions: [decision("m", 1)] });
  assert.equal(await line.hear(), undefined);
};

test("a bot gets ready, decides and learns the result", async () => {
  const script: Script = async (line) => {
    const hello = await line.begin("m");
    assert.equal(line.headers.get("authorization"), "Bearer token");
    assert.deepEqual([hello.protocolVersion, hello.concurrency, hello.wantsResolved], [1, 0, false]);
    assert.match(hello.sdk, /^cutpurse-sdk-typescript\/[0-9]/);
    line.say({ decisions: [decision("m", 1)] });
    const choice = await line.hearChoice();
    assert.deepEqual([choice.match, choice.decision, choice.answer.value], ["m", 1, "play GD"]);
    assert.equal(choice.requestId.length, 16);
    line.say({ accepted: [accepted(choice)], ended: [ended("m", [1, 2])] });
    await line.silence();
  };

  const summary = await scripted([script], (address) => play(first, quick(address, { matches: 1 })));

  assert.equal(summary.bot, "scripted");
  assert.equal(summary.ending, "matches played");
  assert.deepEqual([summary.matches, summary.decisions, summary.refused], [1, 1, 0]);
  assert.deepEqual(summary.results[0]?.result?.placements, [1, 2]);
});

test("what is ready together travels in one frame", async () => {
  const matches = ["a", "b", "c"];
  const script: Script = async (line) => {
    await line.begin(...matches);
    line.say({ decisions: matches.map((match) => decision(match, 1)) });
    const choices = (await line.hear())?.choices ?? [];
    assert.deepEqual(
      choices.map((choice) => choice.match),
      matches,
    );
    assert.equal(new Set(choices.map((choice) => choice.requestId.join())).size, 3);
    line.say({ accepted: choices.map(accepted), ended: matches.map((match) => ended(match)) });
    await line.silence();
  };

  const summary = await scripted([script], (address) => play(first, quick(address, { matches: 3 })));

  assert.equal(summary.decisions, 3);
});

const dog = create(ArtRobberyActionSchema, {
  action: { case: "play", value: { card: ArtRobberyCard.GUARD_DOG } },
});
const wrapped = create(ActionSchema, { game: { case: "artRobbery", value: dog } });

for (const later of [false, true]) {
  const when = later ? "awaited" : "given at once";
  for (const [name, answer] of Object.entries<Answer>({ notation: "play BS", index: 1, typed: dog, wrapped })) {
    test(`an answer by ${name} is taken when ${when}`, async () => {
      const script: Script = async (line) => {
        await line.begin("m");
        line.say({ decisions: [decision("m", 1)] });
        const choice = await line.hearChoice();
        const expected = create(ChoiceSchema, {
          match: "m",
          decision: 1,
          requestId: choice.requestId,
          answer:
            typeof answer === "string"
              ? { case: "notation", value: answer }
              : typeof answer === "number"
                ? { case: "index", value: answer }
                : { case: "action", value: wrapped },
        });
        assert.ok(equals(ChoiceSchema, choice, expected));
        line.say({ accepted: [accepted(choice)], ended: [ended("m")] });
        await line.silence();
      };
      const choose: Choose = later ? () => sleep(10).then(() => answer) : () => answer;

      const summary = await scripted([script], (address) => play(choose, quick(address, { matches: 1 })));

      assert.equal(summary.decisions, 1);
    });
  }

  test(`an error in choose comes out as it is when it is ${when}`, async () => {
    const fail: Choose = later
      ? () => sleep(10).then(() => Promise.reject(new RangeError("the author's mistake")))
      : () => {
          throw new RangeError("the author's mistake");
        };

    await scripted([askInVain], async (address) => {
      await assert.rejects(play(fail, quick(address)), /RangeError: the author's mistake/);
    });
  });

  test(`a bot warms up before it is ready when that is ${when}`, async () => {
    const done: string[] = [];
    const script: Script = async (line) => {
      await line.begin("m");
      assert.deepEqual(done, ["m"]);
      line.say({ ended: [ended("m")] });
      await line.silence();
    };
    const onMatch: Options["onMatch"] = later
      ? ({ match }) => sleep(20).then(() => void done.push(match))
      : ({ match }) => void done.push(match);

    await scripted([script], (address) => play(first, quick(address, { matches: 1, onMatch })));

    assert.deepEqual(done, ["m"]);
  });
}

for (const answer of [undefined, null, true, 2, -1, 0.5, NaN, 1n, new Uint8Array(2), create(ReadySchema)]) {
  test(`${String(answer)} is no answer and ends the bot with a clear error`, async () => {
    await scripted([askInVain], async (address) => {
      const choose = (): Answer => answer as unknown as Answer;
      await assert.rejects(play(choose, quick(address)), (error) => {
        assert.ok(error instanceof AnswerInvalid);
        assert.match(error.message, /play GD/);
        return true;
      });
    });
  });
}

test("onError default logs the error and plays on with the first legal action", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    const choice = await line.hearChoice();
    assert.deepEqual(choice.answer, { case: "index", value: 0 });
    line.say({ accepted: [accepted(choice)], ended: [ended("m")] });
    await line.silence();
  };
  const logger = new Memory();
  const fail: Choose = () => {
    throw new RangeError("the author's mistake");
  };

  await scripted([script], (address) => play(fail, quick(address, { matches: 1, onError: "default", logger })));

  assert.match(logger.warnings.join(), /decision 1 of match m.*the author's mistake/);
});

test("a refused answer is put right once with a new request id", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    const one = await line.hearChoice();
    line.say({ refused: [refused(one, "CHOICE_ILLEGAL", 1)] });
    const two = await line.hearChoice();
    assert.deepEqual(two.answer, { case: "index", value: 0 });
    assert.notDeepEqual(two.requestId, one.requestId);
    // A service that refuses even that gets no third answer: the next frame is about the next decision.
    line.say({ refused: [refused(two, "CHOICE_ILLEGAL", 0)] });
    line.say({ decisions: [decision("m", 2)] });
    const three = await line.hearChoice();
    assert.equal(three.decision, 2);
    line.say({ accepted: [accepted(three)], ended: [ended("m")] });
    await line.silence();
  };
  const logger = new Memory();

  const summary = await scripted([script], (address) => play(() => "play N9", quick(address, { matches: 1, logger })));

  assert.deepEqual([summary.decisions, summary.refused], [1, 2]);
  assert.match(logger.warnings.join(), /CHOICE_ILLEGAL: as scripted/);
});

test("onRefused throw throws what the service said", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 7)] });
    line.say({ refused: [refused(await line.hearChoice(), "TIME_OVER")] });
    assert.equal(await line.hear(), undefined);
  };

  await scripted([script], async (address) => {
    await assert.rejects(play(first, quick(address, { onRefused: "throw" })), (error) => {
      assert.ok(error instanceof ChoiceNotTaken);
      assert.equal(error.message, "match m, decision 7: TIME_OVER: as scripted");
      assert.equal(error.refusal.reason, ErrorReason.TIME_OVER);
      return true;
    });
  });
});

test("a stale decision is no fault", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    line.say({ refused: [refused(await line.hearChoice(), "DECISION_STALE")], ended: [ended("m")] });
    await line.silence();
  };
  const logger = new Memory();

  const summary = await scripted([script], (address) =>
    play(first, quick(address, { matches: 1, onRefused: "throw", logger })),
  );

  assert.deepEqual([summary.decisions, summary.refused], [0, 0]);
  assert.deepEqual(logger.warnings, []);
});

test("what the service could not write down is said again unchanged", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    const one = await line.hearChoice();
    line.say({ refused: [refused(one, "LOG_UNAVAILABLE")] });
    const again = await line.hearChoice();
    assert.deepEqual(toBinary(ChoiceSchema, again), toBinary(ChoiceSchema, one));
    line.say({ accepted: [accepted(again)], ended: [ended("m")] });
    await line.silence();
  };

  const summary = await scripted([script], (address) => play(first, quick(address, { matches: 1 })));

  assert.deepEqual([summary.decisions, summary.refused], [1, 0]);
});

test("a slow match does not hold up another", async () => {
  const script: Script = async (line) => {
    await line.begin("slow", "quick");
    line.say({ decisions: [decision("slow", 1), decision("quick", 1)] });
    for (const match of ["quick", "slow"]) {
      const choice = await line.hearChoice();
      assert.equal(choice.match, match);
      line.say({ accepted: [accepted(choice)], ended: [ended(match)] });
    }
    await line.silence();
  };
  let letGo: (value: number) => void = () => undefined;
  const over = new Promise<number>((resolve) => {
    letGo = resolve;
  });

  const choose: Choose = (asked) => (asked.match === "slow" ? over : Promise.resolve(0));
  const onEnded = (): void => letGo(0);
  const summary = await scripted([script], (address) => play(choose, quick(address, { matches: 2, onEnded })));

  assert.equal(summary.decisions, 2);
});

test("a thought that is overtaken is let be, whether it comes to an answer or fails", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    await sleep(20);
    line.say({ decisions: [decision("m", 2)] });
    const choice = await line.hearChoice();
    assert.equal(choice.decision, 2);
    await sleep(100);
    line.say({ accepted: [accepted(choice)], ended: [ended("m")] });
    await line.silence();
  };
  for (const outcome of [() => 1, () => Promise.reject(new Error("too late"))]) {
    const choose: Choose = (asked) => (asked.decision === 1 ? sleep(80).then(outcome) : sleep(1).then(() => 0));

    const summary = await scripted([script], (address) => play(choose, quick(address, { matches: 1 })));

    assert.equal(summary.decisions, 1);
  }
});

test("news and typed actions are asked for only if they are wanted", async () => {
  const heard: MatchNews[] = [];
  const script: Script = async (line) => {
    const hello = await line.begin("m");
    assert.deepEqual([hello.wantsResolved, hello.wantsLegalActions, hello.bot], [true, true, "ann"]);
    line.say({ news: [{ match: "m" }], ended: [ended("m")] });
    await line.silence();
  };

  await scripted([script], (address) =>
    play(first, quick(address, { matches: 1, bot: "ann", legalActions: true, onNews: (news) => heard.push(news) })),
  );

  assert.deepEqual(
    heard.map((news) => news.match),
    ["m"],
  );
});

test("a bot that is told to stop brings home what it said", async () => {
  const stop = new AbortController();
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    const choice = await line.hearChoice();
    stop.abort();
    await sleep(50);
    line.say({ accepted: [accepted(choice)] });
    assert.equal(await line.hear(), undefined);
  };

  const summary = await scripted([script], (address) => play(first, quick(address, { signal: stop.signal })));

  assert.deepEqual([summary.ending, summary.decisions], ["stopped", 1]);
});

test("a service of another protocol version is refused, and so is what is no service of this kind", async () => {
  const newer: Script = async (line) => {
    await line.hear();
    line.say({ welcome: { protocolVersion: 2 } });
    await line.silence();
  };
  const other: Script = async (line) => {
    await line.hear();
    line.say({ offers: [] });
    await line.silence();
  };

  await scripted([newer, other], async (address) => {
    await assert.rejects(play(first, quick(address)), (error) => {
      assert.ok(error instanceof ServiceRefused);
      assert.equal(error.reason, ErrorReason.PROTOCOL_UNSUPPORTED);
      return true;
    });
    await assert.rejects(play(first, quick(address)), /is it a Cutpurse service/);
  });
});

test("fields, oneof cases and enum values of a newer protocol are survived", async () => {
  const unknown = Uint8Array.of(0xf2, 0x07, 3, 1, 2, 3); // Field 126, three bytes.
  const script: Script = async (line) => {
    await line.begin("m");
    const asked = decision("m", 1);
    // A view of a game that is not known here, and unknown fields around it.
    const bytes = Uint8Array.of(...toBinary(DecisionSchema, { ...asked, view: create(ViewSchema) }), ...unknown);
    line.say({ decisions: [fromBinary(DecisionSchema, bytes)] });
    const choice = await line.hearChoice();
    line.say({ refused: [{ ...refused(choice, "TIME_OVER"), reason: 999 as ErrorReason }] });
    line.say({ ended: [{ match: "m", voidCause: 99 as VoidCause }] });
    await line.silence();
  };
  const logger = new Memory();
  const choose: Choose = (asked) => {
    assert.throws(() => asked.view, /does not know 'art_robbery'/);
    return 1;
  };

  const summary = await scripted([script], (address) => play(choose, quick(address, { matches: 1, logger })));

  assert.deepEqual([summary.matches, summary.refused], [1, 1]);
  assert.match(logger.warnings.join(), /999: as scripted/);
  assert.equal(summary.results[0]?.voidCause, 99);
});

test("an option that means nothing is refused before dialling", async () => {
  const wrong = [{ matches: 0 }, { matches: 1.5 }, { onError: "ignore" }, { onRefused: "ignore" }] as Options[];
  for (const options of wrong) {
    await assert.rejects(play(first, quick("unix:/nowhere", options)), SettingsInvalid);
  }
});
