import { setTimeout as pause } from "node:timers/promises";

import { Code, ConnectError } from "@connectrpc/connect";

import type { Answer } from "./answers.js";
import { Backoff } from "./backoff.js";
import type { Decision } from "./decision.js";
import { refusedForGood, ServiceUnreachable, statusName } from "./errors.js";
import { WARNINGS_ONLY, type Logger } from "./logger.js";
import type { ConnectResponse, MatchOffered } from "./protocol/index.js";
import { Randomness } from "./random.js";
import { Session, type Event } from "./session.js";
import { Settings, type GivenSettings } from "./settings.js";
import { Stream, type Dialled, type Wishes } from "./stream.js";

/** How long a bot that stops waits for the replies to what it has said, and a drained stream for its end. */
export const GRACE_MS = 2_000;

/** A stream that lasted so long, or brought anything after Welcome, was a success: the patience begins anew. */
const STEADY_MS = 5_000;

/**
 * Why a client came to its end without an error: the bot was told to stop; as many matches as were asked for are over;
 * or the service said that it stops, and did not come back.
 */
export type Ending = "stopped" | "matches played" | "service drained";

/** How to reach the service, and how hard to try; everything may be left out. */
export interface ClientOptions extends GivenSettings, Wishes {
  /** How long the service may be out of reach before `ServiceUnreachable`; default a minute. */
  readonly patienceMs?: number | undefined;
  /** The pauses between attempts to reach it. */
  readonly backoff?: Backoff | undefined;
  /** Where to say what happens on the way; default warnings and errors on standard error. */
  readonly logger?: Logger | undefined;
}

/**
 * A client; what is not given comes from the environment. Throws `SettingsInvalid`. It dials in when it is iterated.
 *
 *     for await (const event of connect()) { … }
 */
export function connect(options: ClientOptions = {}): Client {
  return new Client(Settings.resolve(options), options);
}

/**
 * A bot's connection. Iterating yields events. A stream that breaks is dialled anew; no answer takes effect twice.
 *
 * At its end iteration stops, and `ending` says why; or it throws `ServiceRefused` or `ServiceUnreachable`.
 */
export class Client implements AsyncIterable<Event> {
  readonly #settings: Settings;
  readonly #wishes: Wishes;
  readonly #patienceMs: number;
  readonly #backoff: Backoff;
  readonly #logger: Logger;
  readonly #session: Session;
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #inbox: Event[] = [];
  #stream: Stream | undefined;
  #streamSinceMs = 0;
  #error: { readonly value: unknown } | undefined;
  #attempt = 0;
  #downSinceMs: number | undefined;
  #wasDrained = false;
  #isPostponing = false;
  #ending: Ending | undefined;
  #bot = "";

  constructor(settings: Settings, options: ClientOptions = {}) {
    this.#settings = settings;
    this.#wishes = options;
    this.#patienceMs = options.patienceMs ?? 60_000;
    this.#backoff = options.backoff ?? new Backoff();
    this.#logger = options.logger ?? WARNINGS_ONLY;
    this.#session = new Session(new Randomness(settings.seed), this.#logger);
  }

  /** Why iteration stopped; undefined before. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The bot's name as the service knows it; empty before Welcome. */
  get bot(): string {
    return this.#bot;
  }

  /** How many of the bot's choices are in the log. */
  get accepted(): number {
    return this.#session.accepted;
  }

  /** Dial in and yield what happens. Leaving the loop closes the stream; whoever iterates again dials in anew. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    try {
      for (let event = await this.#next(); event !== undefined; event = await this.#next()) {
        yield event;
      }
    } finally {
      this.close();
    }
  }

  /** Say that the bot is ready for a match. */
  ready(offer: MatchOffered): void {
    this.#session.ready(offer.match);
    this.#wake();
  }

  /**
   * Answer a decision. Returns at once; what is answered in one go is sent in one frame.
   *
   * False if the decision is over or has an answer. Throws `AnswerInvalid` for what is no answer.
   */
  answer(decision: Decision, answer: Answer): boolean {
    const taken = this.#session.answer(decision, answer);
    this.#wake();
    return taken;
  }

  /** Whether a decision still waits for an answer. */
  isOpen(decision: Decision): boolean {
    return this.#session.isOpen(decision);
  }

  /** End the iteration. What was said is brought home first. */
  stop(ending: Ending = "stopped"): void {
    this.#ending ??= ending;
    this.#stopping.abort();
    const stream = this.#stream;
    if (stream === undefined) {
      return;
    }
    if (this.#session.owed === 0) {
      stream.cancel();
    } else {
      this.#later(GRACE_MS, () => stream.cancel());
    }
  }

  /** End the iteration at once by throwing this from it. */
  fail(error: unknown): void {
    this.#ending ??= "stopped";
    this.#error ??= { value: error };
    this.#stopping.abort();
    this.#stream?.cancel();
  }

  /** End the stream and free everything. */
  close(): void {
    for (const timer of this.#timers) {
      clearTimeout(timer);
    }
    this.#timers.clear();
    this.#isPostponing = false;
    this.#stream?.close();
    this.#stream = undefined;
  }

  async #next(): Promise<Event | undefined> {
    for (;;) {
      if (this.#stopping.signal.aborted) {
        await this.#finish();
        return undefined;
      }
      const event = this.#inbox.shift();
      if (event !== undefined || this.#ending !== undefined) {
        return event;
      }
      await this.#receive();
    }
  }

  #wake(): void {
    if (this.#session.hasSomethingToSay) {
      this.#stream?.wake();
    }
  }

  /** Do something after a pause, unless the stream has ended by then. */
  #later(pauseMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, pauseMs);
    this.#timers.add(timer);
  }

  /** Take in the next frame, or mend what keeps it away. */
  async #receive(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) {
      await this.#dial();
      return;
    }
    if (this.#session.isDraining && !this.#session.isBusy) {
      stream.halfClose();
    }
    let frame: ConnectResponse | undefined;
    try {
      frame = await stream.read();
    } catch (error) {
      this.#lost(ConnectError.from(error));
      return;
    }
    if (frame === undefined) {
      this.#lost(new ConnectError("the service ended the stream", Code.Unavailable));
    } else {
      this.#take(stream, frame);
    }
  }

  /** Hand a frame to the session. */
  #take(stream: Stream, frame: ConnectResponse): void {
    const wasDraining = this.#session.isDraining;
    this.#inbox.push(...this.#session.receive(frame));
    const tries = this.#session.postponedTries;
    if (tries > 0 && !this.#isPostponing) {
      this.#isPostponing = true;
      this.#later(this.#backoff.pauseMs(3 + tries), () => this.#sayAgain());
    }
    if (this.#session.isDraining && !wasDraining) {
      this.#logger.info("the service is going to stop");
      this.#wasDrained = true;
      this.#later(GRACE_MS, () => stream.cancel());
    } else if (!this.#session.isDraining) {
      this.#attempt = 0;
      this.#downSinceMs = undefined;
      this.#wasDrained = false;
    }
  }

  #sayAgain(): void {
    this.#isPostponing = false;
    this.#session.sendPostponed();
    this.#wake();
  }

  /** Wait for the replies to what was said, then end the stream; a stream that breaks now is not mended. */
  async #finish(): Promise<void> {
    while (this.#stream !== undefined && this.#session.owed > 0 && this.#error === undefined) {
      const frame = await this.#stream.read().catch(() => undefined);
      if (frame === undefined) {
        this.close();
      } else {
        this.#session.receive(frame);
      }
    }
    this.close();
    const error = this.#error;
    if (error !== undefined) {
      this.#error = undefined;
      throw error.value;
    }
  }

  /** Open a stream, or wait a little; give up when the patience is over. */
  async #dial(): Promise<void> {
    this.#downSinceMs ??= performance.now();
    this.#attempt += 1;
    const signal = this.#stopping.signal;
    let dialled: Dialled;
    try {
      if (this.#attempt > 1 || this.#wasDrained) {
        await pause(this.#backoff.pauseMs(this.#attempt), undefined, { signal });
      }
      dialled = await Stream.dial(this.#settings, this.#wishes, this.#logger, signal);
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      if (!(error instanceof ConnectError)) {
        throw error;
      }
      this.#judge(error);
      return;
    }
    await this.#begin(dialled);
  }

  /** Go on with everything on a new stream. */
  async #begin({ stream, welcome, frame }: Dialled): Promise<void> {
    this.#logger.info(`connected to ${welcome.server} at ${this.#settings.address} as ${welcome.bot}`);
    this.#bot = welcome.bot;
    this.#stream = stream;
    this.#streamSinceMs = performance.now();
    this.#session.beginStream();
    const ends = await Promise.all(this.#session.running.map((offer) => stream.endOf(offer)));
    if (welcome.frameBytesMax > 0) {
      this.#session.frameBytesMax = welcome.frameBytesMax;
    }
    frame.ended.push(...ends.filter((ended) => ended !== undefined));
    this.#inbox.push(...this.#session.receive(frame));
    stream.startWriting(() => this.#session.nextFrame());
  }

  /** The stream is over. Throws what will not pass. */
  #lost(error: ConnectError): void {
    if (performance.now() - this.#streamSinceMs > STEADY_MS && !this.#session.isDraining) {
      this.#attempt = 0;
      this.#downSinceMs = undefined;
    }
    this.close();
    if (!this.#stopping.signal.aborted && !this.#session.isDraining) {
      this.#judge(error);
    }
  }

  /** What a failed attempt or a broken stream means: throw, or come to the end, or try again. */
  #judge(error: ConnectError): void {
    const refused = refusedForGood(error);
    if (refused !== undefined) {
      throw refused;
    }
    const text = `${statusName(error.code)}: ${error.rawMessage}`;
    const downMs = this.#downSinceMs === undefined ? 0 : performance.now() - this.#downSinceMs;
    if (downMs < this.#patienceMs) {
      this.#logger[this.#attempt <= 1 ? "warn" : "info"](`no stream, dialling in again: ${text}`);
    } else if (this.#wasDrained) {
      this.#ending = "service drained";
    } else {
      const message = `${this.#settings.address} was out of reach for ${Math.round(downMs / 1000)} s: ${text}`;
      throw new ServiceUnreachable(message, { cause: error });
    }
  }
}
