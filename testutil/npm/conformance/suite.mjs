// Loaded before the conformance suite, to which it does two things:
//
//   node --import ./suite.mjs ../node_modules/@modelcontextprotocol/conformance/dist/index.js ...
//
// The suite runs on Node 20. It imports fs.globSync, which came with Node 22; it uses
// it for another command than the ones that are run here, but an import of what does
// not exist is an error at once. So the suite, and nothing else, gets fs.mjs for fs.
//
// The suite ends when its standard input does, and so with whoever started it.

import { register } from "node:module";
import process from "node:process";

const hooks = `export const resolve = (specifier, context, next) =>
  specifier === "fs" && context.parentURL?.endsWith("/@modelcontextprotocol/conformance/dist/index.js")
    ? { url: ${JSON.stringify(new URL("fs.mjs", import.meta.url).href)}, shortCircuit: true }
    : next(specifier, context);`;

register(`data:text/javascript,${encodeURIComponent(hooks)}`);

process.stdin.on("end", () => {
  console.error("suite.mjs: the standard input has ended, and so does the suite");
  process.exit(1);
});
process.stdin.resume();
process.stdin.unref?.(); // it shall not keep a suite alive that has finished
