// Builds the package when npm links or packs it. A bot's project that depends on this folder by its path thereby gets a
// package that works, also where nobody has installed anything here yet.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const run = (command) => execSync(command, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });

if (!existsSync(`${folder}/node_modules/.bin/tsc`)) {
    run("npm ci --ignore-scripts");
}
run("npm run build");
