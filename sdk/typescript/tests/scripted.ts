/** A service that follows a script: one function for every stream that a bot opens, in order. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { tmpdir } from "node:os";

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Backoff, type Logger, type Options } from "cutpurse-sdk";
import {
  BotService,
  ChoiceAcceptedSchema,
  ChoiceRefusedSchema,
  ConnectResponseSchema,
  DecisionSchema,
  ErrorReason,
  MatchEndedSchema,
  MatchOfferedSchema,
  MatchService,
  ViewSchema,
  WelcomeSchema,
  type Choice,
  type ChoiceAccepted,
  type ChoiceRefused,
  type ConnectRequest,
  type ConnectResponse,
  type Decision,
  type GetMatchResponse,
  type Hello,
  type MatchEnded,
  type MatchOffered,
} from "cutpurse-sdk/protocol";

/** Keeps what was logged, as `level: message`. */
export class Memory implements Logger {
  readonly lines: string[] = [];

  debug(message: string): void {
    this.lines.push(`debug: ${message}`);
  }

  info(message: string): void {
    this.lines.push(`info: ${message}`);
  }

  warn(message: string): void {
    this.lines.push(`warn: ${message}`);
  }

  error(message: string, ...details: unknown[]): void {
    this.lines.push(`error: ${message} ${details.join(" ")}`);
  }

  /** Everything of at least the level of a warning. */
  get warnings(): string[] {
    return this.lines.filter((line) => /^(warn|error)/.test(line));
  }
}

/** For quick tests: what `play` is told beside the address. */
export function quick(address: string, more: Options = {}): Options {
  const backoff = new Backoff({ firstMs: 10, longestMs: 50 });
  return { address, token: "token", backoff, patienceMs: 60_000, logger: new Memory(), ...more };
}

/** The service's end of one stream. */
export class Line {
  readonly #requests: AsyncIterator<ConnectRequest>;
  readonly #context: HandlerContext;
  readonly #spoken: ConnectResponse[] = [];
  #wakeUp: () => void = () => undefined;
  #isOver = false;

  constructor(requests: AsyncIterable<ConnectRequest>, context: HandlerContext) {
    this.#requests = requests[Symbol.asyncIterator]();
    this.#context = context;
  }

  /** What came with the call. */
  get headers(): Headers {
    return this.#context.requestHeader;
  }

  /** The bot's next frame; undefined when it has gone, or has said that nothing more comes. */
  async hear(): Promise<ConnectRequest | undefined> {
    const result = await this.#requests.next().catch(() => ({ done: true, value: undefined }) as const);
    return result.done === true ? undefined : result.value;
  }

  /** The next choice, which is the only thing in its frame. */
  async hearChoice(): Promise<Choice> {
    const frame = await this.hear();
    assert.equal(frame?.choices.length, 1);
    assert.deepEqual(frame.readies, []);
    const [choice] = frame.choices;
    assert.ok(choice);
    return choice;
  }

  /** Send a frame of these parts. */
  say(parts: MessageInitShape<typeof ConnectResponseSchema>): void {
    this.#spoken.push(create(ConnectResponseSchema, parts));
    this.#wakeUp();
  }

  /** Hear Hello, answer it, and offer these matches in the same frame. */
  async welcome(matches: string[] = [], more: MessageInitShape<typeof ConnectResponseSchema> = {}): Promise<Hello> {
    const hello = (await this.hear())?.hello;
    assert.ok(hello);
    const frame = create(ConnectResponseSchema, more);
    frame.welcome = create(WelcomeSchema, { protocolVersion: 1, bot: "scripted", server: "script" });
    frame.offers.push(...matches.map((match) => offer(match)));
    this.say(frame);
    return hello;
  }

  /** The same, and hear that the bot is ready for them. */
  async begin(...matches: string[]): Promise<Hello> {
    const hello = await this.welcome(matches);
    const frame = await this.hear();
    assert.deepEqual(
      frame?.readies.map((ready) => ready.match),
      matches,
    );
    return hello;
  }

  /** End the stream with an error. */
  breakOff(code: Code = Code.Unavailable, reason = ""): never {
    throw new ConnectError("as scripted", code, reason === "" ? {} : { "cutpurse-reason": reason });
  }

  /** Say nothing until the bot goes. */
  async silence(): Promise<void> {
    while ((await this.hear()) !== undefined);
  }

  /** What is said, until `end`. */
  async *spoken(): AsyncGenerator<ConnectResponse> {
    for (;;) {
      yield* this.#spoken.splice(0);
      if (this.#isOver) return;
      if (this.#spoken.length === 0) {
        await new Promise<void>((resolve) => {
          this.#wakeUp = resolve;
        });
      }
    }
  }

  /** The script is over. */
  end(): void {
    this.#isOver = true;
    this.#wakeUp();
  }
}

/** What the service does on one stream. */
export type Script = (line: Line) => Promise<unknown>;

/**
 * Serve the scripts on a unix socket while `work` runs with the address; checks at the end that all were followed.
 *
 * `known` are the matches of which GetMatch can tell something; of all others there is no such match. Without it there is no GetMatch.
 */
export async function scripted<Result>(
  scripts: Script[],
  work: (address: string) => Promise<Result>,
  known?: Record<string, Partial<GetMatchResponse>>,
): Promise<Result> {
  const left = [...scripts];
  const faults: unknown[] = [];
  const routes = (router: ConnectRouter): void => {
    router.service(BotService, {
      async *connect(requests, context) {
        const script = left.shift();
        if (script === undefined) throw new ConnectError("the script is over", Code.Unavailable);
        const line = new Line(requests, context);
        const playing = script(line)
          .catch((error: unknown) => {
            if (!(error instanceof ConnectError)) faults.push(error);
            throw error;
          })
          .finally(() => line.end());
        playing.catch(() => undefined);
        yield* line.spoken();
        await playing;
      },
    });
    router.service(MatchService, {
      getMatch({ match }) {
        if (known === undefined) throw new ConnectError("as scripted", Code.Unimplemented);
        const found = known[match];
        if (found === undefined) throw new ConnectError("as scripted", Code.NotFound);
        return found as GetMatchResponse;
      },
    });
  };
  const folder = mkdtempSync(`${tmpdir()}/cutpurse-`);
  const server = createServer(connectNodeAdapter({ routes }));
  await new Promise<void>((resolve) => server.listen(`${folder}/service.sock`, resolve));
  const close = closing(server);
  try {
    const result = await work(`unix:${folder}/service.sock`);
    assert.deepEqual(faults, []);
    assert.equal(left.length, 0, "every script was played");
    return result;
  } catch (error) {
    throw faults.length > 0 ? new AggregateError([...faults, error], `a script failed: ${String(faults[0])}`) : error;
  } finally {
    close();
    rmSync(folder, { recursive: true });
  }
}

/** How to end a server and every session that it has. */
function closing(server: Http2Server): () => void {
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  return () => {
    for (const session of sessions) session.destroy();
    server.close();
  };
}

/** An offer of a match of two. */
export function offer(match: string): MatchOffered {
  return create(MatchOfferedSchema, { match, players: 2, configuration: { game: "art_robbery" }, warmUpMsLeft: 1000 });
}

/** A decision between two actions. */
export function decision(match: string, number: number): Decision {
  const view = create(ViewSchema, {
    game: { case: "artRobbery", value: { table: { heist: 1, handSizes: [5, 5] } } },
  });
  return create(DecisionSchema, { match, decision: number, view, legal: ["play GD", "play BS"] });
}

/** The acknowledgement of a choice. */
export function accepted({ match, decision: number, requestId }: Choice): ChoiceAccepted {
  return create(ChoiceAcceptedSchema, { match, decision: number, requestId });
}

/** The refusal of a choice. */
export function refused(
  { match, decision: number, requestId }: Choice,
  reason: keyof typeof ErrorReason,
  correctionsLeft?: number,
): ChoiceRefused {
  const about = { match, decision: number, requestId, reason: ErrorReason[reason], text: "as scripted" };
  return create(ChoiceRefusedSchema, correctionsLeft === undefined ? about : { ...about, correctionsLeft });
}

/** The end of a match. */
export function ended(match: string, placements = [1, 2]): MatchEnded {
  return create(MatchEndedSchema, { match, result: { scores: [9, 7], placements } });
}

/** A script, often the second one: a match is offered, decided once and ended. */
export async function finish(line: Line): Promise<void> {
  await line.welcome(["m"], { decisions: [decision("m", 1)] });
  for (let frame = await line.hear(); frame !== undefined; frame = await line.hear()) {
    const [choice] = frame.choices;
    if (choice !== undefined) {
      line.say({ accepted: [accepted(choice)], ended: [ended("m")] });
    }
  }
}

/** Wait so many milliseconds. */
export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
