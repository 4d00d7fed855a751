/** A connection that dies without a word is noticed, and one that lives is left alone. */

import assert from "node:assert/strict";
import { createServer } from "node:http2";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer as createRelay, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { after, test } from "node:test";

import { createClient } from "@connectrpc/connect";
import { MatchService } from "cutpurse-sdk/protocol";

import { Connection } from "#sdk/connection.js";
import { sleep } from "./scripted.js";

const folder = mkdtempSync(`${tmpdir()}/cutpurse-`);
after(() => rmSync(folder, { recursive: true }));

for (const [name, isMute] of [
  ["is noticed when it dies without a word", true],
  ["is left alone while it is only quiet", false],
] as const) {
  test(`a connection ${name}`, async () => {
    // A service that takes calls and never answers them, behind a relay that may fall silent.
    const service = createServer().on("stream", () => undefined);
    const sockets: Socket[] = [];
    let isSilent = false;
    const relay = createRelay((near) => {
      const far = connect(`${folder}/service.sock`);
      sockets.push(near, far);
      near.on("data", (piece) => isSilent || far.write(piece)).on("error", () => undefined);
      far.on("data", (piece) => isSilent || near.write(piece)).on("error", () => undefined);
    });
    await new Promise<void>((resolve) => service.listen(`${folder}/service.sock`, resolve));
    await new Promise<void>((resolve) => relay.listen(`${folder}/relay.sock`, resolve));
    const connection = new Connection(`unix:${folder}/relay.sock`, undefined, { intervalMs: 200, answerMsMax: 1_000 });

    const asking = createClient(MatchService, connection.transport).getMatch({ match: "m" });
    asking.catch(() => undefined);
    await sleep(500);
    isSilent = isMute;
    const outcome = await Promise.race([
      asking.then(
        () => "answered",
        (error: unknown) => String(error),
      ),
      sleep(isMute ? 20_000 : 2_000).then(() => "quiet"),
    ]);

    connection.close();
    for (const socket of sockets) socket.destroy();
    relay.close();
    service.close();
    assert.match(outcome, isMute ? /no answer to a ping/ : /^quiet$/);
  });
}
