/**
 * One stream to the service: dial in, say Hello, read frames, write what the session has to say.
 *
 * @module
 */

import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";

import type { Connection } from "./connection.js";
import { ServiceRefused, statusName } from "./errors.js";
import type { Logger } from "./logger.js";
import {
  BotService,
  ConnectRequestSchema,
  ErrorReason,
  HelloSchema,
  MatchEndedSchema,
  MatchPhase,
  MatchService,
  VoidCause,
  type ConnectRequest,
  type ConnectResponse,
  type Hello,
  type MatchEnded,
  type MatchOffered,
  type Welcome,
} from "./protocol/index.js";
import type { Settings } from "./settings.js";
import { VERSION } from "./version.js";

/** The version of the protocol that this SDK speaks. */
export const PROTOCOL_VERSION = 1;

/** How long the service may take to answer Hello. */
const WELCOME_MS_MAX = 10_000;

/** How long it may take to say whether a match is over. */
const ASK_MS_MAX = 5_000;

/** What the bot says about itself in Hello. */
export interface Wishes {
  /** Its registered name; left out to leave it to the token. */
  readonly bot?: string | undefined;
  /** Send the legal actions as typed messages, too. */
  readonly legalActions?: boolean | undefined;
  /** Send resolved decisions as they happen. */
  readonly news?: boolean | undefined;
}

/** A stream that was opened, and what came with its first frame. */
export interface Dialled {
  readonly stream: Stream;
  readonly welcome: Welcome;
  readonly frame: ConnectResponse;
}

/** An open stream. Made by `Stream.dial`, ended by `close`. Answers given in one turn of the event loop share a frame. */
export class Stream {
  readonly #connection: Connection;
  readonly #headers: Record<string, string>;
  readonly #logger: Logger;
  readonly #abort = new AbortController();
  readonly #incoming: AsyncIterator<ConnectResponse>;
  #nextFrame: () => ConnectRequest | undefined = () => undefined;
  #isAwake = false;
  #wakeUp: () => void = () => undefined;
  #isHalfClosed = false;

  private constructor(settings: Settings, hello: Hello, logger: Logger) {
    this.#connection = settings.openConnection();
    this.#headers = settings.headers;
    this.#logger = logger;
    const options = { headers: this.#headers, signal: this.#abort.signal };
    const call = createClient(BotService, this.#connection.transport).connect(this.#outgoing(hello), options);
    this.#incoming = call[Symbol.asyncIterator]();
  }

  /**
   * Dial in and wait for Welcome; `signal` gives it up.
   *
   * Throws ConnectError for what may pass, `ServiceRefused` for what may not.
   */
  static async dial(settings: Settings, wishes: Wishes, logger: Logger, signal: AbortSignal): Promise<Dialled> {
    const stream = new Stream(settings, helloOf(wishes), logger);
    const giveUp = (): void => stream.cancel();
    const timer = setTimeout(giveUp, WELCOME_MS_MAX);
    signal.addEventListener("abort", giveUp);
    try {
      signal.throwIfAborted();
      const frame = await stream.read();
      if (frame === undefined) {
        throw new ConnectError("the service ended the stream before Welcome, or did not answer", Code.Unavailable);
      }
      return { stream, frame, welcome: checkedWelcome(frame) };
    } catch (error) {
      stream.close();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    }
  }

  /** From now on send what `nextFrame` returns, after every `wake`. */
  startWriting(nextFrame: () => ConnectRequest | undefined): void {
    this.#nextFrame = nextFrame;
    this.wake();
  }

  /** There is something to say. */
  wake(): void {
    if (!this.#isAwake) {
      this.#isAwake = true;
      setImmediate(() => this.#wakeUp());
    }
  }

  /** The next frame; undefined when the stream ended in good order or was cancelled here. Throws ConnectError otherwise. */
  async read(): Promise<ConnectResponse | undefined> {
    try {
      const result = await this.#incoming.next();
      return result.done === true ? undefined : result.value;
    } catch (error) {
      if (this.#abort.signal.aborted) {
        return undefined;
      }
      throw ConnectError.from(error);
    }
  }

  /** Say that nothing more will be said. */
  halfClose(): void {
    this.#isHalfClosed = true;
    this.wake();
  }

  /**
   * The end of a match that the bot was offered earlier; undefined while it runs, or if the service does not tell.
   *
   * A match that ends while its bot has no stream is not offered again, and no frame says that it is over.
   */
  async endOf(offer: MatchOffered): Promise<MatchEnded | undefined> {
    const ended = create(MatchEndedSchema, { match: offer.match, seat: offer.seat });
    try {
      const found = await createClient(MatchService, this.#connection.transport).getMatch(
        { match: offer.match },
        { headers: this.#headers, timeoutMs: ASK_MS_MAX },
      );
      if (found.phase === MatchPhase.ENDED && found.result !== undefined) {
        ended.result = found.result;
        return ended;
      }
      ended.voidCause = found.voidCause;
      return found.phase === MatchPhase.VOIDED ? ended : undefined;
    } catch (error) {
      const { code } = ConnectError.from(error);
      this.#logger.debug(`asked for match ${offer.match}: ${statusName(code)}`);
      if (code !== Code.NotFound) {
        return undefined;
      }
      // A service that forgot the match, because its log was lost, cannot go on with it.
      ended.voidCause = VoidCause.PLATFORM;
      return ended;
    }
  }

  /** End the stream at once; a waiting `read` returns undefined. */
  cancel(): void {
    this.#abort.abort();
  }

  /** Free everything. May be called in any state, and again. */
  close(): void {
    this.#abort.abort();
    this.#connection.close();
  }

  async *#outgoing(hello: Hello): AsyncGenerator<ConnectRequest> {
    yield create(ConnectRequestSchema, { hello });
    while (!this.#isHalfClosed) {
      while (!this.#isAwake) {
        await new Promise<void>((resolve) => {
          this.#wakeUp = resolve;
        });
      }
      this.#isAwake = false;
      for (let frame = this.#nextFrame(); frame !== undefined; frame = this.#nextFrame()) {
        yield frame;
      }
    }
  }
}

function helloOf(wishes: Wishes): Hello {
  return create(HelloSchema, {
    protocolVersion: PROTOCOL_VERSION,
    bot: wishes.bot ?? "",
    sdk: `cutpurse-sdk-typescript/${VERSION}`,
    wantsLegalActions: wishes.legalActions ?? false,
    wantsResolved: wishes.news ?? false,
  });
}

/** The first frame's Welcome. Throws unless there is one and the service speaks our version. */
function checkedWelcome(frame: ConnectResponse): Welcome {
  if (frame.welcome === undefined) {
    const text = "the service's first frame holds no Welcome; is it a Cutpurse service?";
    throw new ServiceRefused(statusName(Code.Unknown), ErrorReason.MALFORMED, text);
  }
  const version = frame.welcome.protocolVersion;
  if (version !== PROTOCOL_VERSION) {
    const text = `it speaks protocol version ${version}, this SDK ${PROTOCOL_VERSION}`;
    throw new ServiceRefused(statusName(Code.FailedPrecondition), ErrorReason.PROTOCOL_UNSUPPORTED, text);
  }
  return frame.welcome;
}
