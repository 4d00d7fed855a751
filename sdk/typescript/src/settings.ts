/**
 * Where the service is and who the bot is: what is passed first, then the environment.
 *
 * | variable           | meaning                                                              |
 * |--------------------|----------------------------------------------------------------------|
 * | `CUTPURSE_ADDRESS` | `host:port` or `unix:/path`                                          |
 * | `CUTPURSE_TOKEN`   | the bot's token                                                      |
 * | `CUTPURSE_SEED`    | any text; makes `decision.random` repeatable                         |
 * | `CUTPURSE_CA`      | path of a file with the certificate authority of the service, in PEM |
 *
 * @module
 */

import { readFileSync } from "node:fs";
import { BlockList, isIPv4, isIPv6 } from "node:net";

import { Connection, UNIX } from "./connection.js";
import { SettingsInvalid } from "./errors.js";

const HOST_AND_PORT = /^(?<host>\[[0-9A-Fa-f:.]+\]|[^[\]:/\s]+):(?<port>[0-9]{1,5})$/;

/** A token is printable ASCII without spaces. */
const TOKEN = /^[!-~]+$/;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** What may be passed in place of the environment. */
export interface GivenSettings {
  /** `host:port` or `unix:/path`; else `CUTPURSE_ADDRESS`. */
  readonly address?: string | undefined;
  /** The bot's token; else `CUTPURSE_TOKEN`. */
  readonly token?: string | undefined;
  /** Makes `Decision.random` repeatable; else `CUTPURSE_SEED`; else every process plays differently. */
  readonly seed?: string | undefined;
  /** The file with the service's certificate authority, PEM; else `CUTPURSE_CA`. Needed for other machines. */
  readonly ca?: string | undefined;
}

/** What is needed to dial in. */
export class Settings {
  // Private to the engine, so that neither console.log nor JSON shows them.
  readonly #token: string;
  readonly #seed: string | undefined;
  readonly #certificateAuthority: Buffer | undefined;

  private constructor(
    /** `host:port` or `unix:/path`. */
    readonly address: string,
    token: string,
    seed: string | undefined,
    certificateAuthority: Buffer | undefined,
  ) {
    this.#token = token;
    this.#seed = seed;
    this.#certificateAuthority = certificateAuthority;
  }

  /** Take what is given, and the rest from the environment. Throws `SettingsInvalid`. */
  static resolve(given: GivenSettings = {}, environment: NodeJS.ProcessEnv = process.env): Settings {
    const address = given.address || environment.CUTPURSE_ADDRESS;
    const token = given.token || environment.CUTPURSE_TOKEN;
    const seed = given.seed ?? environment.CUTPURSE_SEED;
    const ca = given.ca || environment.CUTPURSE_CA;
    if (!address) {
      throw new SettingsInvalid("no address: pass address or set CUTPURSE_ADDRESS to host:port or unix:/path");
    }
    if (!token) {
      throw new SettingsInvalid("no token: pass token or set CUTPURSE_TOKEN to the text that the organiser gave you");
    }
    if (!TOKEN.test(token)) {
      throw new SettingsInvalid("the token holds characters that no token has; was it copied with a line break?");
    }
    const settings = new Settings(address, token, seed, ca ? readCertificate(ca) : undefined);
    refuseOpenNetwork(address, settings.isEncrypted);
    return settings;
  }

  /** Makes `Decision.random` repeatable; absent: different in every process. */
  get seed(): string | undefined {
    return this.#seed;
  }

  /** Whether the connection is encrypted; without, it stays on this machine. */
  get isEncrypted(): boolean {
    return this.#certificateAuthority !== undefined;
  }

  /** What goes with every call. */
  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }

  /** A new connection; whoever opens it closes it. */
  openConnection(): Connection {
    return new Connection(this.address, this.#certificateAuthority);
  }
}

/** The certificate authority's file. */
function readCertificate(path: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingsInvalid(`cannot read the certificate file ${path} (CUTPURSE_CA): ${why}`, { cause: error });
  }
  if (!content.includes("-----BEGIN CERTIFICATE-----")) {
    throw new SettingsInvalid(`${path} (CUTPURSE_CA) holds no certificate in PEM form`);
  }
  return content;
}

/** Throw unless the connection is encrypted or stays on this machine: a token read on the way is a seat lost. */
function refuseOpenNetwork(address: string, isEncrypted: boolean): void {
  if (address.startsWith(UNIX)) {
    if (isEncrypted) {
      throw new SettingsInvalid(`${address} stays on this machine and is never encrypted: leave out CUTPURSE_CA`);
    }
    return;
  }
  const found = HOST_AND_PORT.exec(address)?.groups;
  const port = Number(found?.port);
  if (found?.host === undefined || !(port > 0 && port < 65536)) {
    throw new SettingsInvalid(`'${address}' is no address: write host:port, [ipv6]:port or unix:/path`);
  }
  if (!isEncrypted && !isLoopback(found.host.replace(/^\[|\]$/g, ""))) {
    throw new SettingsInvalid(
      `${address} is another machine, and without encryption anybody on the way could read the token: ` +
        "set CUTPURSE_CA to the file with the service's certificate authority (PEM)",
    );
  }
}

/** Whether a host is this machine itself. */
function isLoopback(host: string): boolean {
  if (isIPv4(host)) {
    return LOOPBACK.check(host, "ipv4");
  }
  return isIPv6(host) ? LOOPBACK.check(host, "ipv6") : host === "localhost";
}
