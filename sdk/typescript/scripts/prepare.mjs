// Builds the package when npm links or installs it, unless that was done since its sources changed. A bot's project that
// depends on this folder by its path thereby gets a package that works, also where nobody has installed anything here yet.
import { execSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
const repository = fileURLToPath(new URL("../../../proto/cutpurse", import.meta.url));
const protos = existsSync(repository) ? repository : `${folder}proto/cutpurse`;

function run(command) {
    execSync(command, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
}

/** When the latest change in a folder was, generated code left out. */
function latestChange(path) {
    if (!statSync(path).isDirectory()) {
        return statSync(path).mtimeMs;
    }
    const names = readdirSync(path).filter((name) => path.endsWith("proto/cutpurse") || name !== "cutpurse");
    return Math.max(...names.map((name) => latestChange(`${path}/${name}`)));
}

const built = `${folder}dist/index.js`;
const sources = [`${folder}src`, `${folder}package.json`, `${folder}tsconfig.json`, protos];
if (!existsSync(built) || sources.some((source) => latestChange(source) > statSync(built).mtimeMs)) {
    if (!existsSync(`${folder}node_modules/.bin/tsc`)) {
        run("npm ci --ignore-scripts");
    }
    run("npm run build");
}
