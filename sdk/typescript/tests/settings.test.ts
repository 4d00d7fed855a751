/** Where the service is and who the bot is. */

import assert from "node:assert/strict";
import { writeFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { inspect } from "node:util";

import { Settings, SettingsInvalid, type GivenSettings } from "cutpurse-sdk";

const folder = mkdtempSync(`${tmpdir()}/cutpurse-`);
const certificate = `${folder}/ca.pem`;
writeFileSync(certificate, "-----BEGIN CERTIFICATE-----\n");
writeFileSync(`${folder}/not.pem`, "something else");

test("what is passed goes before the environment", () => {
  const environment = { CUTPURSE_ADDRESS: "localhost:1", CUTPURSE_TOKEN: "there", CUTPURSE_SEED: "s" };

  const found = Settings.resolve({ address: "unix:/s", token: "here" }, environment);

  assert.deepEqual([found.address, found.headers, found.seed], ["unix:/s", { authorization: "Bearer here" }, "s"]);
  assert.equal(Settings.resolve({}, environment).address, "localhost:1");
  assert.equal(Settings.resolve({ seed: "" }, environment).seed, "");
});

for (const address of ["localhost:7711", "127.0.0.1:7711", "127.9.9.9:1", "[::1]:7711", "unix:/run/service.sock"]) {
  test(`${address} may be spoken to without encryption`, () => {
    assert.equal(Settings.resolve({ address, token: "t" }, {}).address, address);
  });
}

for (const address of ["192.168.1.1:7711", "example.org:7711", "[2001:db8::1]:7711", "localhost.example.org:1"]) {
  test(`${address} is spoken to with encryption alone`, () => {
    assert.throws(() => Settings.resolve({ address, token: "t" }, {}), /another machine.*CUTPURSE_CA/);
    assert.ok(Settings.resolve({ address, token: "t", ca: certificate }, {}).isEncrypted);
  });
}

const wrong: [GivenSettings, RegExp][] = [
  [{ token: "t" }, /CUTPURSE_ADDRESS/],
  [{ address: "localhost:1" }, /CUTPURSE_TOKEN/],
  [{ address: "localhost:1", token: "a\n" }, /line break/],
  [{ address: "localhost:1", token: "a b" }, /characters/],
  [{ address: "localhost", token: "t" }, /no address/],
  [{ address: "localhost:0", token: "t" }, /no address/],
  [{ address: "localhost:65536", token: "t" }, /no address/],
  [{ address: "http://localhost:1", token: "t" }, /no address/],
  [{ address: "::1:7711", token: "t" }, /no address/],
  [{ address: "localhost:1", token: "t", ca: `${folder}/nowhere` }, /cannot read.*CUTPURSE_CA/],
  [{ address: "localhost:1", token: "t", ca: `${folder}/not.pem` }, /PEM/],
  [{ address: "unix:/s", token: "t", ca: certificate }, /leave out CUTPURSE_CA/],
];
for (const [given, text] of wrong) {
  test(`${inspect(given)} is refused: ${text.source}`, () => {
    assert.throws(
      () => Settings.resolve(given, {}),
      (error) => error instanceof SettingsInvalid && text.test(error.message),
    );
  });
}

test("nothing secret is shown", () => {
  const settings = Settings.resolve({ address: "localhost:1", token: "secret", seed: "hidden" }, {});

  assert.doesNotMatch(inspect(settings, { showHidden: true }) + JSON.stringify(settings), /secret|hidden/);
});
