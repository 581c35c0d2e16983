// node:fs with a globSync, whatever Node this is: see suite.mjs.

import fs from "node:fs";

export * from "node:fs";

export function globSync(...args) {
  if (fs.globSync === undefined) throw new Error("fs.globSync needs Node 22");
  return fs.globSync(...args);
}
