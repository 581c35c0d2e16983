// A stdio server with the one tool of the scenario tools-call-with-logging. It logs
// to a client that has set no level, as servers of the TypeScript SDK do: the
// aggregator refuses logging/setLevel, and the Go SDK's servers then never log.

import { setTimeout } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "logging", version: "1.0.0" }, { capabilities: { logging: {} } });

server.registerTool("test_tool_with_logging", { description: "Logs three times" }, async () => {
  for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await server.sendLoggingMessage({ level: "info", data });
    await setTimeout(50);
  }
  return { content: [{ type: "text", text: "done" }] };
});

await server.connect(new StdioServerTransport());
