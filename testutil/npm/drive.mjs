// Drives one stdio MCP server with the TypeScript SDK's own client.
//
//   node drive.mjs [OPTIONS] -- COMMAND [ARGS...]
//
//   --call JSON           {"name": "...", "arguments": {...}}; repeat it: calls run in order
//   --capabilities JSON   what the client announces, default {}
//   --answer METHOD=JSON  the result for requests of the server; repeat it
//   --wait-tools N        list again at each list_changed until there are N tools
//   --timeout MS          for one request, default 60000
//
// It initializes, lists the tools (all pages), makes the calls, closes the
// client, and prints one JSON document on stdout:
//
//   {serverInfo, capabilities, protocolVersion, instructions, tools: [names],
//    results: [result | {error: {code, message, data}}], asked: [methods],
//    told: {method: count}, progress: count, exit: {code, signal}}
//
// Results and errors stand there as the server wrote them. The command inherits
// this process's whole environment and its stderr. The exit code is 0 however
// the calls were answered; 1 when the session broke or the SDK refused an answer
// (one line on stderr says which); 2 for wrong usage.

import process from "node:process";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        call: { type: "string", multiple: true, default: [] },
        capabilities: { type: "string", default: "{}" },
        answer: { type: "string", multiple: true, default: [] },
        "wait-tools": { type: "string", default: "0" },
        timeout: { type: "string", default: "60000" },
      },
    });
    if (positionals.length === 0) throw new Error("no command: put it after --");
    const [command, ...args] = positionals;
    return {
      command,
      args,
      calls: values.call.map((text) => JSON.parse(text)),
      capabilities: JSON.parse(values.capabilities),
      answers: new Map(values.answer.map(readAnswer)),
      waitTools: Number(values["wait-tools"]),
      request: { timeout: Number(values.timeout) },
    };
  } catch (error) {
    console.error(`drive.mjs: ${error.message}`);
    process.exit(2);
  }
}

function readAnswer(text) {
  const at = text.indexOf("=");
  return [text.slice(0, at), JSON.parse(text.slice(at + 1))];
}

/** Opens the session and keeps what the server answers, before the SDK reshapes it. */
async function connect({ command, args, capabilities, answers, request }) {
  const session = { answer: undefined, asked: [], told: {}, progress: 0, exit: Promise.resolve(null) };
  session.transport = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
  session.transport.onmessage = (message) => {
    if ("result" in message || "error" in message) session.answer = message;
  };
  session.client = new Client({ name: "typescript-sdk-driver", version: "1.0.0" }, { capabilities });
  session.client.fallbackRequestHandler = async ({ method }) => {
    session.asked.push(method);
    if (!answers.has(method)) throw new Error(`no --answer for ${method}`);
    return answers.get(method);
  };
  session.client.fallbackNotificationHandler = async ({ method }) => {
    session.told[method] = (session.told[method] ?? 0) + 1;
  };
  const connecting = session.client.connect(session.transport, request);
  // The SDK tells nobody how the process ended, so ask the process itself.
  const child = session.transport._process;
  session.exit = new Promise((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve(null));
  });
  await connecting.catch(async (error) => {
    await session.client.close();
    throw error;
  });
  session.protocolVersion = session.answer.result.protocolVersion;
  return session;
}

async function listTools(client, request) {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, request);
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

/** Lists until there are enough tools; each list_changed is worth another look. */
async function waitForTools(client, { waitTools, request }) {
  let changed;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  const deadline = Date.now() + request.timeout;
  for (;;) {
    changed = resolvers();
    const names = await listTools(client, request);
    const left = deadline - Date.now();
    if (names.length >= waitTools || left <= 0) return names;
    let timer;
    await Promise.race([changed.promise, new Promise((resolve) => (timer = setTimeout(resolve, left)))]);
    clearTimeout(timer);
  }
}

// Promise.withResolvers, which Node 20 lacks.
function resolvers() {
  const made = {};
  made.promise = new Promise((resolve) => (made.resolve = resolve));
  return made;
}

/** Makes one call; an error that the server sent is a result like any other. */
async function call(session, params, request) {
  session.answer = undefined;
  try {
    await session.client.callTool(params, undefined, { ...request, onprogress: () => session.progress++ });
  } catch (error) {
    if (session.answer?.error === undefined) throw error;
    return { error: session.answer.error };
  }
  return session.answer.result;
}

async function drive(options) {
  const session = await connect(options);
  const { client } = session;
  try {
    const report = {
      serverInfo: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      protocolVersion: session.protocolVersion,
      instructions: client.getInstructions(),
      tools: client.getServerCapabilities()?.tools ? await waitForTools(client, options) : [],
      results: [],
    };
    for (const params of options.calls) report.results.push(await call(session, params, options.request));
    await client.close();
    Object.assign(report, { asked: session.asked, told: session.told, progress: session.progress });
    report.exit = await session.exit;
    return report;
  } finally {
    await client.close();
  }
}

drive(readOptions()).then(
  (report) => console.log(JSON.stringify(report)),
  (error) => {
    console.error(`drive.mjs: ${error.stack ?? error}`);
    process.exitCode = 1;
  },
);
