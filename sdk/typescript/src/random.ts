import { createHash, randomBytes } from "node:crypto";

/**
 * A source of chance of one decision's own (xoshiro128**): quick, repeatable, not for secrets.
 *
 * The same seed gives the same lots in every version of this SDK's major version; other languages' SDKs draw others.
 */
export class Random {
  readonly #state: Uint32Array;

  /** A source from 32 bytes, of which not all may be 0. */
  constructor(digest: Uint8Array) {
    const words = new DataView(digest.buffer, digest.byteOffset, 16);
    this.#state = Uint32Array.from([0, 4, 8, 12], (offset) => words.getUint32(offset));
  }

  /** One element, each with the same chance. Throws RangeError for an empty list. */
  choice<Element>(elements: readonly Element[]): Element {
    if (elements.length === 0) {
      throw new RangeError("there is nothing to choose from");
    }
    return elements[this.integer(elements.length)] as Element;
  }

  /** A whole number from 0 up to, but not including, `bound`, which is a whole number from 1 to 2^32. */
  integer(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
      throw new RangeError(`the bound is ${bound}: a whole number from 1 to 2^32`);
    }
    // The last incomplete run of remainders is thrown away, or the small ones would be more frequent.
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let drawn = this.#word();
    while (drawn >= limit) {
      drawn = this.#word();
    }
    return drawn % bound;
  }

  /** A number from 0 up to, but not including, 1, like `Math.random()`. */
  number(): number {
    return ((this.#word() >>> 5) * 2 ** 26 + (this.#word() >>> 6)) / 2 ** 53;
  }

  /** A new list of the same elements in an order by lot. */
  shuffled<Element>(elements: readonly Element[]): Element[] {
    const order = [...elements];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = this.integer(last + 1);
      [order[last], order[other]] = [order[other] as Element, order[last] as Element];
    }
    return order;
  }

  /** 32 bits. */
  #word(): number {
    const state = this.#state as unknown as [number, number, number, number];
    const product = Math.imul(state[1], 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = (state[3] << 11) | (state[3] >>> 21);
    return result;
  }
}

/**
 * Where `Decision.random` comes from: one key for a whole process, one independent source per decision.
 *
 * A source depends on the seed, the match, the seat and the decision, and on nothing else. A bot that keeps no memory of
 * its own therefore plays the same again when it is started anew in the middle of a match.
 */
export class Randomness {
  readonly #key: Buffer;

  constructor(seed: string | undefined) {
    // Hashed first, so that the key has a fixed length and no seed can imitate what follows it.
    this.#key = seed === undefined ? randomBytes(32) : createHash("sha256").update(seed).digest();
  }

  /** The source of one decision, as fresh as if nothing had been drawn from it. */
  source(match: string, seat: number, decision: number): Random {
    return new Random(createHash("sha256").update(this.#key).update(`${match}/${seat}/${decision}`).digest());
  }
}
