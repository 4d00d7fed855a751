/** A bad network: a relay in front of a service that loses what passes through it and cuts connections, by lot. */

import { createServer, connect, type Server, type Socket } from "node:net";

import type { Random } from "cutpurse-sdk";

/** How a connection dies: at once; or after what one side says has been lost for a while. */
const FATES = ["cut", "replies lost", "requests lost", "both lost"] as const;

/** For how long a side speaks in vain before its connection is cut. */
const LOSING_MS = 40;

/** The most pieces that pass through one connection. */
const PIECES_MAX = 24;

/** Listens on one unix socket and speaks to another. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How often a connection died, by how. */
  readonly deaths = new Map<string, number>();

  constructor(
    readonly path: string,
    to: string,
    lots: Random,
  ) {
    this.#server = createServer((near) => this.#pass(near, connect(to), lots.choice(FATES), lots.integer(PIECES_MAX)));
  }

  /** Begin to listen. */
  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.path, resolve));
  }

  /** Cut everything. */
  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(near: Socket, far: Socket, fate: (typeof FATES)[number], piecesMax: number): void {
    let pieces = 0;
    const cut = (): void => {
      near.destroy();
      far.destroy();
    };
    const isLost = (side: Socket): boolean => {
      pieces += 1;
      if (pieces === piecesMax + 1) {
        this.deaths.set(fate, (this.deaths.get(fate) ?? 0) + 1);
        setTimeout(cut, fate === "cut" ? 0 : LOSING_MS);
      }
      return pieces > piecesMax && (fate === "both lost" || fate === (side === far ? "replies lost" : "requests lost"));
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on("data", (piece) => (isLost(from) ? undefined : to.write(piece)));
      from.on("error", cut);
      from.on("close", () => {
        this.#sockets.delete(from);
        cut();
      });
    }
  }
}
