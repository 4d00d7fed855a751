/**
 * What a bot knows across its streams: its matches, the decisions it owes, the answers that have no reply yet.
 *
 * Nothing here waits or sends. Frames go in and events come out; answers go in and frames come out. So every order in
 * which things can be lost, doubled or cut off is a plain function call in a test.
 *
 * A decision goes this way; what arrives twice or late changes nothing:
 *
 *     given (the bot is thinking)  --answer-->  sent (no reply yet)  --accepted-->  settled
 *       ^                                         |
 *       +------------- refused, may be corrected -+-- refused otherwise -->  settled
 *
 * @module
 */

import { randomBytes } from "node:crypto";

import { create, toBinary } from "@bufbuild/protobuf";

import { answerToProto, type Answer } from "./answers.js";
import { Decision } from "./decision.js";
import { reasonName } from "./errors.js";
import type { Logger } from "./logger.js";
import {
  ChoiceSchema,
  ConnectRequestSchema,
  ErrorReason,
  ReadySchema,
  type Choice,
  type ChoiceAccepted,
  type ChoiceRefused,
  type ConnectRequest,
  type ConnectResponse,
  type Decision as DecisionMessage,
  type MatchEnded,
  type MatchNews,
  type MatchOffered,
} from "./protocol/index.js";
import type { Randomness } from "./random.js";

/** The most choices, and the most readies, in one frame. */
export const PIECES_PER_FRAME_MAX = 256;

/** The largest frame that the service reads, until Welcome says otherwise. */
export const FRAME_BYTES_MAX = 64 * 1024;

/** How often one answer is sent again because the service could not write it down just then. */
const RETRIES_MAX = 100;

const CORRECTABLE: ReadonlySet<ErrorReason> = new Set([ErrorReason.CHOICE_MALFORMED, ErrorReason.CHOICE_ILLEGAL]);

/** Refusals that say nothing about the answer: it is sent again, with the same request id. */
const PASSING: ReadonlySet<ErrorReason> = new Set([
  ErrorReason.LOG_UNAVAILABLE,
  ErrorReason.INTERNAL,
  ErrorReason.RATE_LIMITED,
  ErrorReason.DRAINING,
]);

/** A choice that was not taken. */
export interface Refusal {
  /** What was to be decided. */
  readonly decision: Decision;
  /** What the service said. */
  readonly message: ChoiceRefused;
  /** Whether another answer to the same decision may be given now. */
  readonly correctable: boolean;
}

/** What a bot may have to do something about; `kind` tells which. */
export type Event =
  | { readonly kind: "offered"; readonly offer: MatchOffered }
  | { readonly kind: "decision"; readonly decision: Decision }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "news"; readonly news: MatchNews }
  | { readonly kind: "ended"; readonly ended: MatchEnded };

/** An answer and its request id, made once and the same in every repetition. */
interface Intent {
  readonly choice: Choice;
  /** The length of its serialised form. */
  readonly bytes: number;
  retries: number;
}

/** One running match: what was offered, and the latest decision. */
interface Table {
  offer: MatchOffered;
  ready: boolean;
  /** The latest decision's number; 0 before the first. */
  number: number;
  phase: "given" | "sent" | "settled";
  decision: Decision | undefined;
  intent: Intent | undefined;
}

/** The bot's side of the protocol. Not bound to a stream: it outlives them. */
export class Session {
  readonly #randomness: Randomness;
  readonly #logger: Logger;
  readonly #tables = new Map<string, Table>();
  /** Matches that ended while there was this stream: no late offer may begin them anew, and no match ends twice. */
  readonly #ended = new Set<string>();
  // No two processes of one bot make the same id, and one process counts.
  readonly #idPrefix = randomBytes(8);
  #ids = 0n;
  #readies: string[] = [];
  #outbox: Intent[] = [];
  #owed = 0;
  #accepted = 0;
  #draining = false;
  #postponed: Intent[] = [];

  /** The largest frame that the service reads. */
  frameBytesMax = FRAME_BYTES_MAX;

  constructor(randomness: Randomness, logger: Logger) {
    this.#randomness = randomness;
    this.#logger = logger;
  }

  /** Decisions that were answered and have no reply yet. */
  get owed(): number {
    return this.#owed;
  }

  /** Choices that are in the log. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Whether the service is going to stop, and wants this stream to end. */
  get isDraining(): boolean {
    return this.#draining;
  }

  /** How often the most stubborn of the answers that wait for a pause was tried; 0 if none waits. */
  get postponedTries(): number {
    return this.#postponed.reduce((most, intent) => Math.max(most, intent.retries), 0);
  }

  /** Whether `nextFrame` has something. */
  get hasSomethingToSay(): boolean {
    return this.#outbox.length > 0 || this.#readies.length > 0;
  }

  /** The matches that were offered and, as far as is known here, are not over. */
  get running(): MatchOffered[] {
    return Array.from(this.#tables.values(), (table) => table.offer);
  }

  /** Whether the bot thinks about something, or something that it said has no reply yet. */
  get isBusy(): boolean {
    return (
      this.#owed > 0 ||
      this.#readies.length > 0 ||
      Array.from(this.#tables.values()).some((table) => table.phase === "given")
    );
  }

  /** A new stream: whatever has no reply is said again, with the same request ids. */
  beginStream(): void {
    const tables = [...this.#tables.values()];
    this.#ended.clear();
    this.#draining = false;
    this.#postponed = [];
    this.#readies = tables.filter((table) => table.ready && table.number === 0).map((table) => table.offer.match);
    this.#outbox = tables.flatMap((table) => table.intent ?? []);
  }

  /**
   * What is new in a frame, in the order in which it matters.
   *
   * The order of the parts is the order of the protocol: a reply may stand in one frame with the decision after it.
   */
  receive(frame: ConnectResponse): Event[] {
    const events: Event[] = [];
    for (const offer of frame.offers) this.#takeOffer(offer, events);
    for (const accepted of frame.accepted) this.#takeAccepted(accepted);
    for (const refused of frame.refused) this.#takeRefused(refused, events);
    for (const message of frame.decisions) this.#takeDecision(message, events);
    for (const news of frame.news) events.push({ kind: "news", news });
    for (const ended of frame.ended) this.#takeEnded(ended, events);
    if (frame.draining !== undefined) {
      this.#draining = true;
    }
    return events;
  }

  /** The bot is warm. */
  ready(match: string): void {
    const table = this.#tables.get(match);
    if (table !== undefined) {
      table.ready = true;
      this.#readies.push(match);
    }
  }

  /** Answer a decision. False if it is over or has an answer: too late is no error. Throws `AnswerInvalid`. */
  answer(decision: Decision, answer: Answer): boolean {
    const table = this.#tables.get(decision.match);
    if (table?.decision !== decision || table.phase !== "given") {
      this.#logger.debug(`match ${decision.match}: decision ${decision.decision} needs no answer any more`);
      return false;
    }
    const choice = create(ChoiceSchema, {
      match: decision.match,
      decision: decision.decision,
      requestId: this.#nextId(),
      answer: answerToProto(decision, answer),
    });
    table.intent = { choice, bytes: toBinary(ChoiceSchema, choice).length, retries: 0 };
    table.phase = "sent";
    this.#owed += 1;
    this.#outbox.push(table.intent);
    return true;
  }

  /** Whether a decision still waits for the bot's answer. */
  isOpen(decision: Decision): boolean {
    const table = this.#tables.get(decision.match);
    return table?.decision === decision && table.phase === "given";
  }

  /** The next frame with everything that is to be said, as far as it fits; undefined if there is nothing. */
  nextFrame(): ConnectRequest | undefined {
    if (!this.hasSomethingToSay) {
      return undefined;
    }
    const frame = create(ConnectRequestSchema, {
      readies: this.#readies.splice(0, PIECES_PER_FRAME_MAX).map((match) => create(ReadySchema, { match })),
    });
    let room = this.frameBytesMax - toBinary(ConnectRequestSchema, frame).length;
    let taken = 0;
    for (const intent of this.#outbox.slice(0, PIECES_PER_FRAME_MAX)) {
      // Four bytes say at most what follows and how long it is. A choice larger than any frame is for the service to refuse.
      room -= intent.bytes + 4;
      if (room < 0 && (taken > 0 || frame.readies.length > 0)) {
        break;
      }
      frame.choices.push(intent.choice);
      taken += 1;
    }
    this.#outbox.splice(0, taken);
    return frame;
  }

  /** The pause is over: say again what the service could not write down. */
  sendPostponed(): void {
    this.#outbox.push(...this.#postponed.filter((intent) => this.#tables.get(intent.choice.match)?.intent === intent));
    this.#postponed = [];
  }

  #nextId(): Uint8Array<ArrayBuffer> {
    this.#ids += 1n;
    const id = new Uint8Array(16);
    id.set(this.#idPrefix);
    new DataView(id.buffer).setBigUint64(8, this.#ids);
    return id;
  }

  #takeOffer(offer: MatchOffered, events: Event[]): void {
    if (this.#ended.has(offer.match)) {
      // The client asked for the end before this frame, which was on its way, could tell of the match.
      return;
    }
    const table = this.#tables.get(offer.match);
    if (table !== undefined) {
      // Offered again after a reconnect. What the bot had said about it is in the outbox already.
      table.offer = offer;
      return;
    }
    const unasked = { ready: false, number: 0, phase: "settled", decision: undefined, intent: undefined } as const;
    this.#tables.set(offer.match, { offer, ...unasked });
    events.push({ kind: "offered", offer });
  }

  #takeDecision(message: DecisionMessage, events: Event[]): void {
    const table = this.#tables.get(message.match);
    if (table === undefined) {
      const which = `decision ${message.decision} of match ${message.match}`;
      this.#logger.warn(`${which}, which was never offered or is over`);
      return;
    }
    if (message.decision <= table.number) {
      // Delivered twice: the bot is thinking about it, or its answer is on its way, or it is over.
      return;
    }
    if (table.phase === "sent") {
      // The next decision is open, so this one is over, and its reply was lost.
      this.#settle(table);
    }
    table.number = message.decision;
    table.phase = "given";
    table.decision = new Decision(message, table.offer, this.#randomness);
    events.push({ kind: "decision", decision: table.decision });
  }

  #takeAccepted(accepted: ChoiceAccepted): void {
    const table = this.#tables.get(accepted.match);
    if (table?.intent !== undefined && areEqual(table.intent.choice.requestId, accepted.requestId)) {
      this.#settle(table);
      this.#accepted += 1;
    }
  }

  #takeRefused(refused: ChoiceRefused, events: Event[]): void {
    const table = this.#tables.get(refused.match);
    const intent = table?.intent;
    const decision = table?.decision;
    if (table === undefined || intent === undefined || decision === undefined) {
      return;
    }
    if (!areEqual(intent.choice.requestId, refused.requestId)) {
      return;
    }
    if (PASSING.has(refused.reason) && intent.retries < RETRIES_MAX) {
      intent.retries += 1;
      if (!this.#postponed.includes(intent)) {
        this.#postponed.push(intent);
      }
      return;
    }
    this.#settle(table);
    // `correctionsLeft` counts those after the next one, so that 0 does not say whether there is a next one. Trying costs
    // nothing: an answer too many is refused without any effect.
    const correctable = CORRECTABLE.has(refused.reason);
    if (correctable) {
      table.phase = "given";
    } else if (refused.reason === ErrorReason.DECISION_STALE) {
      // Usual where several streams of one bot answer, or where the reply to this very answer was lost.
      this.#logger.info(`match ${refused.match}: decision ${refused.decision} was answered already`);
      return;
    }
    this.#logger.debug(`match ${refused.match}: decision ${refused.decision}: ${reasonName(refused.reason)}`);
    events.push({ kind: "refused", refusal: { decision, message: refused, correctable } });
  }

  #takeEnded(ended: MatchEnded, events: Event[]): void {
    const table = this.#tables.get(ended.match);
    if (table === undefined) {
      return;
    }
    this.#tables.delete(ended.match);
    this.#ended.add(ended.match);
    if (table.phase === "sent") {
      this.#settle(table);
    }
    events.push({ kind: "ended", ended });
  }

  #settle(table: Table): void {
    table.intent = undefined;
    table.phase = "settled";
    this.#owed -= 1;
  }
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
