// Puts a stdio MCP server behind streamable HTTP, for the conformance suite, which
// speaks nothing else.
//
//   node bridge.mjs [OPTIONS] -- COMMAND [ARGS...]
//
//   --prefix TEXT     put TEXT before the tool names of tools/call, take it off those
//                     that tools/list answers with
//   --answer METHOD   answer requests of METHOD with {} instead of passing them on
//
// It listens on a free port of 127.0.0.1 and prints the URL as one line on stdout.
// Each HTTP session has a COMMAND of its own; what passes is in session.mjs. It ends
// when its standard input does, and the commands with it, so whoever started it
// leaves nothing behind, however it ends itself. The exit code is 1 if a command
// ended otherwise than with 0 (one line on stderr for each), 2 for wrong usage.

import { createServer } from "node:http";
import process from "node:process";
import { parseArgs } from "node:util";
import { Session } from "./session.mjs";

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { prefix: { type: "string", default: "" }, answer: { type: "string" } },
    });
    if (positionals.length === 0) throw new Error("no command: put it after --");
    const [command, ...args] = positionals;
    return { command, args, ...values };
  } catch (error) {
    console.error(`bridge.mjs: ${error.message}`);
    process.exit(2);
  }
}

const options = readOptions();
const sessions = new Map(); // by session id
const ended = []; // a promise for each command, of the line that says how it failed

const server = createServer((request, response) => {
  // A page in a browser that had this address under another name could drive the
  // command; the suite tries that.
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? "")) {
    response.writeHead(403).end();
    return;
  }
  const id = request.headers["mcp-session-id"];
  const session = id === undefined ? open() : sessions.get(id);
  if (session === undefined) response.writeHead(404).end();
  else session.handle(request, response);
});

/** A session has no id, and no command, before it has got a correct initialize. */
function open() {
  const session = new Session(options, {
    opened: (id) => {
      sessions.set(id, session);
      ended.push(session.ended);
    },
    closed: (id) => sessions.delete(id),
  });
  return session;
}

async function close() {
  server.close();
  for (const session of [...sessions.values()]) session.close();
  server.closeAllConnections();
  const failures = (await Promise.all(ended)).filter((line) => line !== undefined);
  for (const line of failures) console.error(`bridge.mjs: ${line}`);
  process.exit(failures.length === 0 ? 0 : 1);
}

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.on("end", close).resume();
