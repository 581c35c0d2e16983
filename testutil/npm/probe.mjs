// Drives one stdio MCP server with the newest TypeScript client, which speaks
// the stateless revision 2026-07-28 too: it probes with server/discover, in
// place, and falls back to initialize.
//
//   node probe.mjs CALL COMMAND [ARGS...]
//
// CALL is {"name": "...", "arguments": {...}}. It prints one JSON document on
// stdout: {sent: [methods], protocolVersion, tools: [names], result}.

import process from "node:process";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A subclass makes the client probe on this connection, not on one of its own. */
class Transport extends StdioClientTransport {
  sent = [];

  send(message, options) {
    if (message.method !== undefined) this.sent.push(message.method);
    return super.send(message, options);
  }
}

const [call, command, ...args] = process.argv.slice(2);
const transport = new Transport({ command, args, env: process.env, stderr: "inherit" });
const client = new Client({ name: "probe", version: "1.0.0" }, { capabilities: {}, versionNegotiation: { mode: "auto" } });
try {
  await client.connect(transport);
  const { tools } = await client.listTools();
  const result = await client.callTool(JSON.parse(call));
  console.log(
    JSON.stringify({
      sent: transport.sent,
      protocolVersion: client.getNegotiatedProtocolVersion(),
      tools: tools.map((tool) => tool.name),
      result,
    }),
  );
} finally {
  await client.close();
}
