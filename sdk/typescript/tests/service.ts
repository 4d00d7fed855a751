/** The real service for tests: `cutpurse serve` as a process of its own, and what an organiser does with it. */

import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { createClient, type Client as Stub } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { Settings, type Connection } from "cutpurse-sdk";
import {
  IdentityService,
  MatchPhase,
  MatchService,
  Role,
  type MatchResult,
  type ResolvedDecision,
} from "cutpurse-sdk/protocol";

/** The command of the service. */
export const CUTPURSE = process.env.CUTPURSE ?? "cutpurse";

/** By game, options under which a match is over soon, but not at once. */
export const GAMES: Record<string, Record<string, string>> = {
  art_robbery: {},
  big_max: { turn_limit: "60" },
  shadow_thief: { deals: "3" },
};

/** A match as its log tells it. */
export interface Story {
  readonly resolved: ResolvedDecision[];
  readonly result: MatchResult;
}

/** A service in a folder of its own. */
export class Service {
  readonly folder = mkdtempSync(`${tmpdir()}/cutpurse-`);
  readonly address: string;
  readonly ca: string | undefined;
  readonly #tls: string[];
  #process: ChildProcess | undefined;
  #connection: Connection | undefined;

  /** With `tls`, a certificate and its key in PEM files, it listens on this port of the loopback. */
  constructor(tls?: { certificate: string; key: string; port: number }) {
    this.address = tls === undefined ? `unix:${this.folder}/service.sock` : `localhost:${tls.port}`;
    this.ca = tls?.certificate;
    this.#tls = tls === undefined ? [] : ["--tls-cert", tls.certificate, "--tls-key", tls.key];
  }

  /** Start it, also anew on the same log. */
  async start(): Promise<this> {
    const files = ["--log", `sqlite:${this.folder}/log.sqlite`, "--token-file", `${this.folder}/token`];
    const command = ["serve", "--listen", this.address, ...files, "--log-level", "warning", ...this.#tls];
    const started = spawn(CUTPURSE, command, { stdio: ["ignore", "ignore", "pipe"] });
    this.#process = started;
    let said = "";
    for await (const text of started.stderr.iterator({ destroyOnReturn: false })) {
      said += String(text);
      if (said.includes("serves on")) {
        started.stderr.pipe(process.stderr);
        return this;
      }
    }
    throw new Error(`the service did not start: ${said}`);
  }

  /** Stop it: in good order, or as a crash would. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
    const running = this.#process;
    this.#process = undefined;
    if (running !== undefined && running.exitCode === null) {
      running.kill(signal);
      await once(running, "exit");
    }
  }

  /** Stop it and remove what it wrote. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Register bots of new names; by what each is called here its token and its name there. */
  async register<Called extends string>(...called: Called[]): Promise<Record<Called, { token: string; name: string }>> {
    const stub = this.#stub(IdentityService);
    const registered = called.map(async (each) => {
      const name = `${each}-${randomUUID().slice(0, 8)}`;
      await stub.registerBot({ bot: { bot: name, owner: `owner-of-${name}` } });
      const { token } = await stub.issueToken({ role: Role.BOT, bot: name });
      return [each, { token, name }] as const;
    });
    return Object.fromEntries(await Promise.all(registered)) as Record<Called, { token: string; name: string }>;
  }

  /** A new match; its identifier. */
  async createMatch(bots: { name: string }[], game = "art_robbery", seed = "a seed"): Promise<string> {
    const { match } = await this.#stub(MatchService).createMatch({
      configuration: {
        game,
        options: GAMES[game] ?? {},
        // Nobody overruns this clock, however busy the machine is.
        clock: { decisionMs: 60_000, bankMs: 60_000, warmUpMs: 60_000, strikesMax: 3, correctionsMax: 2 },
      },
      bots: bots.map((bot) => bot.name),
      seed,
      requestId: Buffer.from(randomUUID()),
    });
    return match;
  }

  /** End a match without a result. */
  async abortMatch(match: string): Promise<void> {
    await this.#stub(MatchService).abortMatch({ match, text: "as the test wants" });
  }

  /** What became of a match, to its end. */
  async story(match: string): Promise<Story> {
    const resolved: ResolvedDecision[] = [];
    for await (const frame of this.#stub(MatchService).watchMatch({ match })) {
      resolved.push(...frame.resolved);
      if (frame.phase === MatchPhase.ENDED && frame.result !== undefined) {
        return { resolved, result: frame.result };
      }
    }
    throw new Error(`match ${match} has no result`);
  }

  #stub<Description extends DescService>(description: Description): Stub<Description> {
    const token = readFileSync(`${this.folder}/token`, "utf8").trim();
    const settings = Settings.resolve({ address: this.address, token, ca: this.ca });
    this.#connection ??= settings.openConnection();
    return withHeaders(createClient(description, this.#connection.transport), settings.headers);
  }
}

/** A client whose every call carries these headers. */
function withHeaders<Description extends DescService>(
  stub: Stub<Description>,
  headers: Record<string, string>,
): Stub<Description> {
  return new Proxy(stub, {
    get: (target, name) => (request: unknown) =>
      (target[name as keyof typeof target] as (request: unknown, options: object) => unknown)(request, { headers }),
  });
}
