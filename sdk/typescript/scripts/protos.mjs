// Copies the protocol's files from the repository, so that they are packed with the package and stand in one place only.
// Where there is no repository around this folder, as in an unpacked package, the copy is there already.
import { cpSync, existsSync, rmSync } from "node:fs";

const source = new URL("../../../proto/cutpurse/", import.meta.url);
const copy = new URL("../proto/cutpurse/", import.meta.url);

if (existsSync(source)) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(source, copy, { recursive: true });
} else if (!existsSync(copy)) {
    throw new Error(`neither ${source.pathname} nor ${copy.pathname} is there`);
}
