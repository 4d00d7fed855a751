import {
  connect as connectHttp2,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { connect as connectSocket } from "node:net";

import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

/** What begins the address of a socket in the file system. */
export const UNIX = "unix:";

/** A frame of many views may be larger than the 4 MiB that are usual. */
const FRAME_BYTES_READ_MAX = 64 * 1024 * 1024;

/** A connection may die without a word: behind a router that was switched off a bot would wait for ever. So it asks. */
export interface Pings {
  /** The time between two pings, in milliseconds. */
  readonly intervalMs: number;
  /** How long the answer may take, in milliseconds. */
  readonly answerMsMax: number;
}

const PINGS: Pings = { intervalMs: 20_000, answerMsMax: 10_000 };

/** A connection of its own: nothing is shared with other streams, so nothing that failed is remembered for them. */
export class Connection {
  /** What generated clients are made on: `createClient(MatchService, connection.transport)`. */
  readonly transport: Transport;
  readonly #session: Session;

  /** To an address, encrypted if there is a certificate authority. It is opened by its first use. */
  constructor(address: string, certificateAuthority: Buffer | undefined, pings = PINGS) {
    const isUnix = address.startsWith(UNIX);
    const scheme = certificateAuthority === undefined ? "http" : "https";
    const baseUrl = `${scheme}://${isUnix ? "localhost" : address}`;
    const options: ClientSessionOptions | SecureClientSessionOptions =
      certificateAuthority !== undefined
        ? { ca: certificateAuthority }
        : isUnix
          ? { createConnection: () => connectSocket(address.slice(UNIX.length)) }
          : {};
    this.#session = new Session(new URL(baseUrl).origin, options, pings);
    const sessionManager = this.#session;
    this.transport = createGrpcTransport({ baseUrl, sessionManager, readMaxBytes: FRAME_BYTES_READ_MAX });
  }

  /** End the connection at once. */
  close(): void {
    this.#session.close();
  }
}

/** The `sessionManager` of a transport: one HTTP/2 connection, opened once and never anew: whether to dial in again is for the client to judge. */
class Session {
  readonly #options: ClientSessionOptions | SecureClientSessionOptions;
  readonly #pings: Pings;
  #opening: Promise<ClientHttp2Session> | undefined;
  #session: ClientHttp2Session | undefined;

  constructor(
    readonly authority: string,
    options: ClientSessionOptions | SecureClientSessionOptions,
    pings: Pings,
  ) {
    this.#options = options;
    this.#pings = pings;
  }

  async request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: object,
  ): Promise<ClientHttp2Stream> {
    this.#opening ??= this.#open();
    const session = await this.#opening;
    return session.request({ ...headers, ":method": method, ":path": path }, options);
  }

  /** Part of what a transport asks for; pings come whether or not something was read. */
  notifyResponseByteRead(): void {}

  close(): void {
    // Without a reason: the service is told that all is well, and logs nothing.
    this.#session?.destroy();
  }

  async #open(): Promise<ClientHttp2Session> {
    const session = connectHttp2(this.authority, this.#options);
    this.#session = session;
    await new Promise<void>((resolve, reject) => {
      session.once("connect", () => resolve());
      session.once("close", () => reject(new Error("the connection was closed")));
      // Stays for the session's whole life: its streams learn of the same error, and nobody else needs to.
      session.on("error", reject);
    });
    const asking = setInterval(() => {
      // Between its end and the event that tells of it a session takes no pings.
      if (session.destroyed || session.closed) {
        return;
      }
      const giveUp = setTimeout(() => session.destroy(new Error("no answer to a ping")), this.#pings.answerMsMax);
      session.ping(() => clearTimeout(giveUp));
    }, this.#pings.intervalMs);
    session.once("close", () => clearInterval(asking));
    return session;
  }
}
