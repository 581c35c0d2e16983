// One HTTP session and the stdio command behind it. The transports of the TypeScript
// SDK are used as pipes, with no client or server of the SDK between them: what one
// reads the other writes.

import { randomUUID } from "node:crypto";
import process from "node:process";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

export class Session {
  #options;
  #http;
  #child;
  #calls = new Map(); // the client's open requests by id, oldest first
  #asked = new Map(); // the command's open requests: their id -> id of the call that they belong to
  #listeners = 0; // open GET streams

  /** opened and closed are told the id; ended is a promise of how the command failed, if it did. */
  constructor(options, { opened, closed }) {
    this.#options = options;
    const { command, args } = options;
    this.#child = new StdioClientTransport({ command, args, env: process.env, stderr: "inherit" });
    this.#child.onmessage = (message) => this.#fromCommand(message);
    this.#child.onerror = report;

    this.#http = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: async (id) => {
        await this.#child.start();
        this.ended = exit(this.#child._process); // of which the SDK tells nothing
        this.ended.then(() => this.#http.close());
        opened(id);
      },
    });
    this.#http.onmessage = (message) => this.#fromClient(message);
    this.#http.onerror = report;
    this.#http.onclose = () => {
      closed(this.#http.sessionId);
      this.#child.close();
    };
  }

  /** Ends the command; this.ended follows. */
  close() {
    this.#http.close();
  }

  handle(request, response) {
    if (request.method === "GET") this.#listen(response);
    this.#http.handleRequest(request, response).catch(report);
  }

  // The suite's clients go without a DELETE. They hold a GET stream open while they
  // are there, so with the last one of those the session ends.
  #listen(response) {
    this.#listeners++;
    response.on("close", () => {
      if (--this.#listeners === 0) this.close();
    });
  }

  #fromClient(message) {
    const { id, method, params } = message;
    if (id !== undefined && method !== undefined && method === this.#options.answer) {
      this.#http.send({ jsonrpc: "2.0", id, result: {} }).catch(report);
      return;
    }
    if (method === undefined) this.#asked.delete(id);
    else if (id !== undefined) this.#calls.set(id, { method, progressToken: params?._meta?.progressToken });
    else if (method === "notifications/cancelled") this.#calls.delete(params?.requestId);
    if (method === "tools/call" && typeof params?.name === "string") params.name = this.#options.prefix + params.name;
    this.#child.send(message).catch(report);
  }

  #fromCommand(message) {
    let call; // without one the message goes to the GET stream
    if (message.method === undefined) this.#answered(message);
    else call = this.#owner(message);
    this.#http.send(message, { relatedRequestId: call }).catch(report);
  }

  #answered({ id, result }) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call?.method !== "tools/list") return;
    const { prefix } = this.#options;
    for (const tool of result?.tools ?? []) {
      if (tool.name?.startsWith?.(prefix)) tool.name = tool.name.slice(prefix.length);
    }
  }

  // The call to which a request or notification of the command belongs. HTTP has a
  // stream for each call and wants to know; stdio does not say, but for progress and
  // cancellation. The rest is put down to the newest tools/call, which is exact as
  // long as one is open at a time.
  #owner({ id, method, params }) {
    if (method === "notifications/cancelled") return this.#asked.get(params?.requestId);
    const mine =
      method === "notifications/progress"
        ? (call) => call.progressToken === params?.progressToken
        : (call) => call.method === "tools/call";
    const owner = [...this.#calls.keys()].findLast((key) => mine(this.#calls.get(key)));
    if (id !== undefined) this.#asked.set(id, owner);
    return owner;
  }
}

/** Resolves when the process has ended: to undefined if well, or else to how. */
function exit(child) {
  return new Promise((resolve) => {
    child.once("close", (code, signal) => resolve(code === 0 ? undefined : `a command ended with ${signal ?? code}`));
  });
}

function report(error) {
  console.error(`bridge.mjs: ${error.message}`);
}
