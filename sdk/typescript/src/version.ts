import { createRequire } from "node:module";

const description = createRequire(import.meta.url)("../package.json") as { readonly version: string };

/** The version of this package. */
export const VERSION = description.version;
