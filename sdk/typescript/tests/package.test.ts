/** What is published, and that what the README teaches compiles. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { PROTOCOL_VERSION, VERSION } from "cutpurse-sdk";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the package holds code, types, sources and the protocol, and no tests", () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [packed] = Object.values(JSON.parse(output) as Record<string, { files: { path: string }[] }>);
  const files = packed?.files.map((file) => file.path) ?? [];

  const protos = readdirSync(`${root}/proto/cutpurse/v1`).map((name) => `proto/cutpurse/v1/${name}`);
  assert.ok(protos.length > 10);
  for (const needed of ["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts", "src/index.ts", ...protos]) {
    assert.ok(files.includes(needed), needed);
  }
  assert.deepEqual(
    files.filter((path) => /test|node_modules|scripts/.test(path)),
    [],
  );
});

test("the lock file names no registry", () => {
  assert.doesNotMatch(
    readFileSync(`${root}/package-lock.json`, "utf8"),
    /"resolved"|https?:\/\/(?!github|opencollective)/,
  );
});

test("the version is the package's", () => {
  assert.equal(VERSION, (JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { version: string }).version);
  assert.equal(PROTOCOL_VERSION, 1);
});

test("what the README shows compiles", () => {
  const folder = `${root}/dist/readme`;
  const shown = [...readFileSync(`${root}/README.md`, "utf8").matchAll(/^```typescript\n(.*?)^```/gms)];
  assert.ok(shown.length >= 3);
  mkdirSync(folder, { recursive: true });
  const files = shown.map(([, text], index) => {
    writeFileSync(`${folder}/${index}.ts`, `${text}\nexport {};\n`);
    return `${folder}/${index}.ts`;
  });

  const how = ["--ignoreConfig", "--noEmit", "--strict", "--noUncheckedIndexedAccess", "--module", "nodenext"];
  const compile = (): string =>
    execFileSync(`${root}/node_modules/.bin/tsc`, [...how, "--types", "node", "--skipLibCheck", ...files], {
      cwd: root,
      encoding: "utf8",
    });

  assert.doesNotThrow(compile);
  rmSync(folder, { recursive: true });
});
