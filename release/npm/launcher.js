#!/usr/bin/env node
// Starts the binary of the optional dependency that fits this machine.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const carrier = `mcp-simple-aggregator-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "mcp-simple-aggregator.exe" : "mcp-simple-aggregator";

function find() {
  try {
    return require.resolve(`${carrier}/bin/${file}`);
  } catch {
    console.error(
      `mcp-simple-aggregator: the package ${carrier} is not installed: install again without --omit=optional, ` +
        "or take a binary of the release if there is none for this machine",
    );
    process.exit(1);
  }
}

// become makes this process the binary, which then has the client's streams and
// signals to itself. Node has it since 22.15, but not on Windows.
function become(binary, args) {
  if (typeof process.execve !== "function" || process.platform === "win32") return;
  process.removeAllListeners("warning"); // that it is experimental
  process.execve(binary, [binary, ...args], process.env);
}

// start runs the binary as a child that cannot outlive this process: its standard
// input ends with it, however it ends.
function start(binary, args) {
  const child = spawn(binary, args, { stdio: ["pipe", "inherit", "inherit"], windowsHide: true });
  child.stdin.on("error", () => {}); // it has ended, and says so below
  process.stdin.pipe(child.stdin);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`mcp-simple-aggregator: ${binary}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const binary = find();
const args = process.argv.slice(2);
become(binary, args);
start(binary, args);
