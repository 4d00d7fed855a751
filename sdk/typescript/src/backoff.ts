/** The pauses between attempts to dial in: growing, up to a bound. */
export class Backoff {
  /** The longest first pause, in milliseconds. */
  readonly firstMs: number;
  /** How much longer each next pause may be. */
  readonly factor: number;
  /** No pause is longer, in milliseconds. */
  readonly longestMs: number;

  constructor({ firstMs = 50, factor = 2, longestMs = 5_000 } = {}) {
    this.firstMs = firstMs;
    this.factor = factor;
    this.longestMs = longestMs;
  }

  /**
   * The pause before an attempt, from 1: at random between half and the whole of what it may be.
   *
   * At random, so that many bots of a service that comes back do not all dial in at the same moment.
   */
  pauseMs(attempt: number): number {
    const whole = Math.min(this.longestMs, this.firstMs * this.factor ** Math.min(attempt - 1, 64));
    return whole * (0.5 + Math.random() / 2);
  }
}
