/** Streams break at every point, deliver twice, drain, or end unseen; no answer is lost or takes effect twice. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { play, ServiceRefused, ServiceUnreachable, type Choose } from "cutpurse-sdk";
import { ChoiceSchema, ErrorReason, MatchPhase, VoidCause, type Choice } from "cutpurse-sdk/protocol";

import {
  accepted,
  decision,
  ended,
  finish,
  Memory,
  offer,
  quick,
  refused,
  scripted,
  sleep,
  type Script,
} from "./scripted.js";

const first: Choose = (asked) => asked.legal[0] ?? "";

const breaks: Record<string, Script> = {
  "before Hello is read": async (line) => line.breakOff(),
  "before Welcome": async (line) => {
    await line.hear();
    line.breakOff();
  },
  "after Welcome": async (line) => {
    await line.welcome();
    line.breakOff();
  },
  "before Ready": async (line) => {
    await line.welcome(["m"]);
    line.breakOff();
  },
  "after Ready": async (line) => {
    await line.begin("m");
    line.breakOff();
  },
  "with the decision": async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    line.breakOff();
  },
  "after the choice": async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    await line.hearChoice();
    line.breakOff();
  },
  "in good order": (line) => line.begin("m"),
  "as cancelled": async (line) => {
    await line.begin("m");
    line.breakOff(Code.Canceled);
  },
  "for a reader that is too slow": async (line) => {
    await line.begin("m");
    line.breakOff(Code.ResourceExhausted, "READER_TOO_SLOW");
  },
  "without a reason that is known": async (line) => {
    await line.begin("m");
    line.breakOff(Code.ResourceExhausted);
  },
};

for (const [where, broken] of Object.entries(breaks)) {
  test(`a match goes on when the stream broke ${where}`, async () => {
    const asked: number[] = [];
    const warmed: string[] = [];
    const choose: Choose = (each) => {
      asked.push(each.decision);
      return 0;
    };

    const summary = await scripted([broken, finish], (address) =>
      play(choose, quick(address, { matches: 1, onMatch: ({ match }) => void warmed.push(match) })),
    );

    assert.deepEqual([summary.matches, summary.decisions], [1, 1]);
    assert.deepEqual(asked, [1]);
    assert.deepEqual(warmed, ["m"]);
  });
}

test("an answer without a reply is said again with the same request id", async () => {
  const said: Choice[] = [];
  const loseTheReply: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    said.push(await line.hearChoice());
    line.breakOff();
  };
  const loseItAgain: Script = async (line) => {
    await line.welcome(["m"]);
    said.push(await line.hearChoice());
    line.breakOff();
  };
  const reply: Script = async (line) => {
    await line.welcome(["m"]);
    const choice = await line.hearChoice();
    said.push(choice);
    line.say({ accepted: [accepted(choice)], ended: [ended("m")] });
    await line.silence();
  };

  // Random answers would differ if the bot were asked again.
  const summary = await scripted([loseTheReply, loseItAgain, reply], (address) =>
    play((asked) => asked.random.choice(asked.legal), quick(address, { matches: 1 })),
  );

  assert.equal(summary.decisions, 1);
  assert.equal(said.length, 3);
  assert.equal(new Set(said.map((choice) => toBinary(ChoiceSchema, choice).join())).size, 1);
});

test("a Ready that was lost is said again", async () => {
  const loseTheReady: Script = async (line) => {
    await line.begin("m");
    line.breakOff();
  };
  const hearItAgain: Script = async (line) => {
    await line.begin("m");
    line.say({ ended: [ended("m")] });
    await line.silence();
  };

  const summary = await scripted([loseTheReady, hearItAgain], (address) => play(first, quick(address, { matches: 1 })));

  assert.equal(summary.matches, 1);
});

for (const owed of [false, true]) {
  test(`an end that came while the stream was broken is asked for, an answer ${owed ? "" : "not "}under way`, async () => {
    const breakOff: Script = async (line) => {
      await line.begin("ended", "voided", "forgotten", "running");
      if (owed) {
        line.say({ decisions: [decision("ended", 1)] });
        await line.hearChoice();
      }
      line.breakOff();
    };
    const offerWhatRuns: Script = async (line) => {
      await line.welcome();
      line.say({ offers: [offer("running")] });
      line.say({ ended: [ended("running")] });
      await line.silence();
    };
    const { result } = ended("ended", [2, 1]);
    assert.ok(result);
    const known = {
      ended: { phase: MatchPhase.ENDED, result },
      voided: { phase: MatchPhase.VOIDED, voidCause: VoidCause.ABORTED },
      running: { phase: MatchPhase.RUNNING },
    };

    const summary = await scripted(
      [breakOff, offerWhatRuns],
      (address) => play(first, quick(address, { matches: 4 })),
      known,
    );

    const ends = new Map(summary.results.map((end) => [end.match, end]));
    assert.deepEqual(ends.get("ended")?.result?.placements, [2, 1]);
    assert.equal(ends.get("voided")?.voidCause, VoidCause.ABORTED);
    assert.equal(ends.get("forgotten")?.voidCause, VoidCause.PLATFORM);
    assert.deepEqual(ends.get("running")?.result?.placements, [1, 2]);
    assert.equal(summary.matches, 4);
  });
}

test("what is delivered twice is done once", async () => {
  const asked: number[] = [];
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ offers: [offer("m")] });
    line.say({ decisions: [decision("m", 1), decision("m", 1)] });
    const one = await line.hearChoice();
    line.say({ decisions: [decision("m", 1)], accepted: [accepted(one), accepted(one)] });
    line.say({ decisions: [decision("m", 1)], accepted: [accepted(one)] });
    line.say({ refused: [refused(one, "CHOICE_ILLEGAL")] });
    line.say({ decisions: [decision("m", 2), decision("m", 1)] });
    const two = await line.hearChoice();
    assert.equal(two.decision, 2);
    line.say({ accepted: [accepted(two)], ended: [ended("m"), ended("m")] });
    line.say({ ended: [ended("m")], decisions: [decision("m", 2)] });
    line.say({ offers: [offer("n")], ended: [ended("n")] });
    await line.silence();
  };
  const choose: Choose = (each) => {
    asked.push(each.decision);
    return 0;
  };

  const summary = await scripted([script], (address) => play(choose, quick(address, { matches: 2 })));

  assert.deepEqual(asked, [1, 2]);
  assert.deepEqual([summary.matches, summary.decisions, summary.refused], [2, 2, 0]);
});

test("a thought goes on while the stream is mended", async () => {
  const asked: number[] = [];
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("m", 1)] });
    await sleep(20);
    line.breakOff();
  };
  const choose: Choose = (each) => {
    asked.push(each.decision);
    return sleep(200).then(() => 0);
  };

  const summary = await scripted([script, finish], (address) => play(choose, quick(address, { matches: 1 })));

  assert.deepEqual(asked, [1]);
  assert.equal(summary.decisions, 1);
});

test("a drained stream is finished and dialled anew", async () => {
  let drainedMs = Infinity;
  const drain: Script = async (line) => {
    await line.begin("m");
    const sinceMs = performance.now();
    line.say({ decisions: [decision("m", 1)], draining: {} });
    const choice = await line.hearChoice();
    line.say({ accepted: [accepted(choice)] });
    // The bot has nothing more to say, and says so.
    assert.equal(await line.hear(), undefined);
    drainedMs = performance.now() - sinceMs;
  };
  const goOn: Script = async (line) => {
    await line.welcome(["m"], { decisions: [decision("m", 2)] });
    const two = await line.hearChoice();
    assert.equal(two.decision, 2);
    line.say({ accepted: [accepted(two)] });
    // This stream is not about to end.
    await sleep(50);
    line.say({ decisions: [decision("m", 3)] });
    line.say({ accepted: [accepted(await line.hearChoice())], ended: [ended("m")] });
    await line.silence();
  };

  const summary = await scripted([drain, goOn], (address) => play(first, quick(address, { matches: 1 })));

  assert.equal(summary.decisions, 3);
  // It ended because nothing more was to be said, not because somebody's patience was over.
  assert.ok(drainedMs < 1_500, `${drainedMs} ms`);
});

test("a service that came back after draining and then broke is missed", async () => {
  const drain: Script = async (line) => {
    await line.welcome([], { draining: {} });
    await line.silence();
  };
  const comeBackAndBreak: Script = async (line) => {
    await line.welcome();
    line.say({ offers: [offer("m")] });
    line.breakOff();
  };

  await scripted([drain, comeBackAndBreak], async (address) => {
    await assert.rejects(play(first, quick(address, { patienceMs: 300 })), ServiceUnreachable);
  });
});

test("patience begins anew with every stream that brought something", async () => {
  const bringSomething: Script = async (line) => {
    await line.welcome();
    line.say({ offers: [offer("m")] });
    await sleep(1_000);
    line.breakOff();
  };
  const scripts = [...Array<Script>(4).fill(bringSomething), finish];

  const summary = await scripted(scripts, (address) => play(first, quick(address, { matches: 1, patienceMs: 3_000 })));

  assert.equal(summary.matches, 1);
});

test("a service that drains and stays away is a good end", async () => {
  const drain: Script = async (line) => {
    await line.welcome();
    line.say({ draining: {} });
    assert.equal(await line.hear(), undefined);
  };

  const summary = await scripted([drain], (address) => play(first, quick(address, { patienceMs: 200 })));

  assert.equal(summary.ending, "service drained");
});

test("a service that is not there is given up after the patience, with what was the matter", async () => {
  await assert.rejects(play(first, quick("unix:/nowhere/service.sock", { patienceMs: 100 })), (error) => {
    assert.ok(error instanceof ServiceUnreachable);
    assert.match(error.message, /\/nowhere\/service.sock was out of reach for .* s: .*ENOENT/);
    return true;
  });
});

test("a refusal that will not pass ends the bot with its reason", async () => {
  const refuse: Script = async (line) => line.breakOff(Code.Unauthenticated, "TOKEN_INVALID");
  const unknown: Script = async (line) => line.breakOff(Code.FailedPrecondition, "FROM_A_NEWER_PROTOCOL");

  await scripted([refuse, unknown], async (address) => {
    for (const [status, reason] of [
      ["UNAUTHENTICATED", ErrorReason.TOKEN_INVALID],
      ["FAILED_PRECONDITION", ErrorReason.UNSPECIFIED],
    ] as const) {
      await assert.rejects(play(first, quick(address)), (error) => {
        assert.ok(error instanceof ServiceRefused);
        assert.deepEqual([error.status, error.reason, error.text], [status, reason, "as scripted"]);
        return true;
      });
    }
  });
});

test("a decision of a match that was never offered is let be", async () => {
  const script: Script = async (line) => {
    await line.begin("m");
    line.say({ decisions: [decision("other", 1)], ended: [ended("other"), ended("m")] });
    await line.silence();
  };
  const logger = new Memory();

  const summary = await scripted([script], (address) => play(first, quick(address, { matches: 1, logger })));

  assert.equal(summary.decisions, 0);
  assert.match(logger.warnings.join(), /never offered/);
});
