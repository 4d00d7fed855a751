import { DecisionUnreadable } from "./errors.js";
import type { GameView } from "./games.js";
import type { Action, Decision as DecisionMessage, MatchOffered } from "./protocol/index.js";
import type { Random, Randomness } from "./random.js";

/**
 * A decision that waits for this bot's answer, with everything that its seat may know.
 *
 * `choose` answers it with one of `legal`, with an index into `legal`, or with an action message.
 */
export class Decision {
  readonly #randomness: Randomness;
  #random: Random | undefined;

  constructor(
    /** The message as it came, for whatever has no property here. */
    readonly message: DecisionMessage,
    /** What was said about the match before it began: options, clock, the names of the seats. */
    readonly offer: MatchOffered,
    randomness: Randomness,
  ) {
    this.#randomness = randomness;
  }

  /** The match's identifier. */
  get match(): string {
    return this.message.match;
  }

  /** Counts this seat's own decisions in this match, from 1. */
  get decision(): number {
    return this.message.decision;
  }

  /** The game's identifier, such as `art_robbery`. */
  get game(): string {
    return this.offer.configuration?.game ?? "";
  }

  /** This bot's seat, from 0. */
  get seat(): number {
    return this.message.seat;
  }

  /** Seats at the table. */
  get players(): number {
    return this.offer.players;
  }

  /**
   * What this seat may know: the game's own message, such as `ArtRobberyView`; `$typeName` tells which.
   *
   * Throws `DecisionUnreadable` for a game that is newer than this SDK.
   */
  get view(): GameView {
    const view = this.message.view?.game.value;
    if (view === undefined) {
      throw new DecisionUnreadable(`this version of cutpurse-sdk does not know '${this.game}': upgrade it`);
    }
    return view;
  }

  /** The legal actions in notation, in canonical order; never empty. */
  get legal(): readonly string[] {
    return this.message.legal;
  }

  /** The same as typed messages. Throws `DecisionUnreadable` unless they were asked for. */
  get legalActions(): readonly Action[] {
    if (this.message.legalActions.length === 0) {
      throw new DecisionUnreadable("typed actions are sent on request only: pass legalActions: true");
    }
    return this.message.legalActions;
  }

  /** Milliseconds left for this decision before the bank is used, as of when the service sent it. */
  get decisionMsLeft(): number {
    return this.message.decisionMsLeft;
  }

  /** Milliseconds left in this seat's bank. */
  get bankMsLeft(): number {
    return this.message.bankMsLeft;
  }

  /** What was charged for this seat's last decision, in milliseconds. */
  get lastChargedMs(): number {
    return this.message.lastChargedMs;
  }

  /** Refused answers that may still be corrected; undefined where there is no limit. */
  get correctionsLeft(): number | undefined {
    return this.message.correctionsLeft;
  }

  /** A source of chance of this decision's own: a function of the seed, the match, the seat and the decision. */
  get random(): Random {
    this.#random ??= this.#randomness.source(this.match, this.seat, this.decision);
    return this.#random;
  }

  /** For messages of errors: what is asked, and what would be an answer. */
  toString(): string {
    const { match, decision, game, seat, legal } = this;
    return `decision ${decision} of match ${match} (${game}, seat ${seat}; legal: ${legal.join(", ")})`;
  }
}
