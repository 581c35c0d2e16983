// Serves PostgreSQL with pgvector, in this process, until standard input ends.
//
//   node pglite.mjs
//
// It prints its port, on a line of its own. What is stored ends with it.

import process from "node:process";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const db = await PGlite.create({ extensions: { vector } });
const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections: 8 });
await server.start();
process.stdout.write(`${server.getServerConn().split(":").pop()}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
