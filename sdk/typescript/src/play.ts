/**
 * Play with a function: `run` for programs, `play` for those that do something beside it.
 *
 * @module
 */

import type { Answer } from "./answers.js";
import { Client, type ClientOptions, type Ending } from "./client.js";
import type { Decision } from "./decision.js";
import { ChoiceNotTaken, reasonName, SettingsInvalid } from "./errors.js";
import { WARNINGS_ONLY, type Logger } from "./logger.js";
import type { MatchEnded, MatchNews, MatchOffered } from "./protocol/index.js";
import type { Refusal } from "./session.js";
import { Settings } from "./settings.js";

/** The bot: from a decision to an answer, at once or awaited. */
export type Choose = (decision: Decision) => Answer | Promise<Answer>;

/** A bot that plays for weeks keeps the results of its latest matches only. */
const RESULTS_KEPT_MAX = 10_000;

/** How to play; everything may be left out. */
export interface Options extends Omit<ClientOptions, "news"> {
  /** Come to an end after so many matches, at least 1; left out: never. */
  readonly matches?: number | undefined;
  /** Called once for every match before the bot says that it is ready: to warm up, outside the clock. */
  readonly onMatch?: ((offer: MatchOffered) => void | Promise<void>) | undefined;
  /** Called with what everybody may know, as it happens; asked for only if this is given. */
  readonly onNews?: ((news: MatchNews) => void) | undefined;
  /** Called when a match is over. */
  readonly onEnded?: ((ended: MatchEnded) => void) | undefined;
  /** A refused answer: log it and, once, answer with the first legal action instead (`default`); or throw. */
  readonly onRefused?: "default" | "throw" | undefined;
  /** An error in `choose`: let it end the program (`throw`, the default); or log it and answer as above. */
  readonly onError?: "default" | "throw" | undefined;
  /** Ends the play in good order when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of a bot's time at the tables. */
export interface Summary {
  /** The bot's name as the service knows it. */
  readonly bot: string;
  /** Why it came to an end. */
  readonly ending: Ending;
  /** Matches that are over. */
  readonly matches: number;
  /** Choices of the bot that are in the log. */
  readonly decisions: number;
  /** Choices that were not taken, those included that were put right. */
  readonly refused: number;
  /** The ends of the latest matches, at most 10,000, in the order in which they came. */
  readonly results: readonly MatchEnded[];
}

/**
 * Play until the matches asked for are over, or SIGINT or SIGTERM, or the service stops for good.
 *
 * A first signal ends in good order: what was answered is brought home. A second one ends the process at once.
 * Throws what `choose` throws (unless `onError` is `default`), `SettingsInvalid`, `ServiceRefused`, `ServiceUnreachable`,
 * `AnswerInvalid`; with `onRefused: "throw"` also `ChoiceNotTaken`.
 */
export async function run(choose: Choose, options: Options = {}): Promise<Summary> {
  const player = new Player(choose, options);
  const stop = (): void => {
    // From here on signals do what they do by themselves, so that the second one ends the process.
    forget();
    player.stop();
  };
  const forget = (): void => {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await player.play();
  } finally {
    forget();
  }
}

/** The same, with signals left alone: `options.signal` ends it in good order. */
export async function play(choose: Choose, options: Options = {}): Promise<Summary> {
  return await new Player(choose, options).play();
}

/** Carries decisions to `choose` and its answers back. */
class Player {
  readonly #choose: Choose;
  readonly #options: Options;
  readonly #logger: Logger;
  readonly #client: Client;
  // What is being thought about each match. An outcome that is not there any more is out of date and let be.
  readonly #thinking = new Map<string, object>();
  // By match the decision in which the default was sent already: one refusal of it is enough.
  readonly #defaulted = new Map<string, number>();
  readonly #results: MatchEnded[] = [];
  #matches = 0;
  #refused = 0;

  constructor(choose: Choose, options: Options) {
    checkOptions(options);
    this.#choose = choose;
    this.#options = options;
    this.#logger = options.logger ?? WARNINGS_ONLY;
    this.#client = new Client(Settings.resolve(options), { ...options, news: options.onNews !== undefined });
  }

  /** Play to the end. */
  async play(): Promise<Summary> {
    const client = this.#client;
    const { signal } = this.#options;
    const stop = (): void => client.stop();
    signal?.addEventListener("abort", stop);
    if (signal?.aborted === true) {
      stop();
    }
    try {
      for await (const event of client) {
        if (event.kind === "decision") this.#decide(event.decision);
        else if (event.kind === "offered") this.#prepare(event.offer);
        else if (event.kind === "ended") this.#end(event.ended);
        else if (event.kind === "refused") this.#mend(event.refusal);
        else this.#options.onNews?.(event.news);
      }
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#thinking.clear();
    }
    return {
      bot: client.bot,
      ending: client.ending ?? "stopped",
      matches: this.#matches,
      decisions: client.accepted,
      refused: this.#refused,
      results: this.#results,
    };
  }

  /** Come to an end in good order. */
  stop(): void {
    this.#client.stop();
  }

  #decide(decision: Decision): void {
    const failed = (error: unknown): void => this.#failed(decision, error);
    try {
      const answer = this.#choose(decision);
      if (isPromise(answer)) {
        this.#think(decision.match, answer, (later) => this.#client.answer(decision, later), failed);
      } else {
        this.#client.answer(decision, answer);
      }
    } catch (error) {
      failed(error);
    }
  }

  /** `choose` threw, or returned something that is no answer. */
  #failed(decision: Decision, error: unknown): void {
    if (this.#options.onError === "default") {
      this.#logger.error(`choose failed for ${decision}; answering with the first legal action instead`, error);
      this.#client.answer(decision, 0);
    } else {
      this.#client.fail(error);
    }
  }

  #prepare(offer: MatchOffered): void {
    const warming = this.#options.onMatch?.(offer);
    if (isPromise(warming)) {
      this.#think(
        offer.match,
        warming,
        () => this.#client.ready(offer),
        (error) => this.#client.fail(error),
      );
    } else {
      this.#client.ready(offer);
    }
  }

  /** A choice was not taken. */
  #mend({ decision, message, correctable }: Refusal): void {
    this.#refused += 1;
    if (this.#options.onRefused === "throw") {
      this.#client.fail(new ChoiceNotTaken(message));
      return;
    }
    const what = `match ${message.match}, decision ${message.decision} was refused`;
    this.#logger.warn(`${what}: ${reasonName(message.reason)}: ${message.text}`);
    if (correctable && this.#defaulted.get(decision.match) !== decision.decision) {
      this.#defaulted.set(decision.match, decision.decision);
      this.#client.answer(decision, 0);
    }
  }

  #end(ended: MatchEnded): void {
    this.#matches += 1;
    this.#results.push(ended);
    if (this.#results.length > RESULTS_KEPT_MAX) {
      this.#results.shift();
    }
    this.#defaulted.delete(ended.match);
    this.#thinking.delete(ended.match);
    this.#options.onEnded?.(ended);
    if (this.#matches === this.#options.matches) {
      this.#client.stop("matches played");
    }
  }

  /** Think about a match; what was being thought about it is out of date, also if it fails. */
  #think<Thought>(
    match: string,
    thinking: PromiseLike<Thought>,
    then: (thought: Thought) => void,
    failed: (error: unknown) => void,
  ): void {
    const mark = {};
    this.#thinking.set(match, mark);
    const isCurrent = (): boolean => this.#thinking.get(match) === mark;
    Promise.resolve(thinking)
      .then((thought) => (isCurrent() ? then(thought) : undefined))
      .catch((error: unknown) => (isCurrent() ? failed(error) : undefined))
      .finally(() => (isCurrent() ? this.#thinking.delete(match) : undefined));
  }
}

function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof (value as PromiseLike<Value> | undefined | null)?.then === "function";
}

/** Throws `SettingsInvalid` for an option that means nothing: JavaScript has no types that would have refused it. */
function checkOptions(options: Options): void {
  const { matches } = options;
  if (matches !== undefined && !(Number.isInteger(matches) && matches >= 1)) {
    throw new SettingsInvalid(`matches is ${matches}: a whole number of at least 1, or left out for no end`);
  }
  for (const name of ["onRefused", "onError"] as const) {
    const value = options[name];
    if (value !== undefined && value !== "default" && value !== "throw") {
      throw new SettingsInvalid(`${name} is '${String(value)}': 'default' or 'throw'`);
    }
  }
}
