// Installs a .mcpb as a host does, with the functions of the format's own package:
//   node bundle.mjs BUNDLE FOLDER CONFIG
// unpacks it into the folder, validates its manifest, and prints the command that the
// manifest makes of the user's choice of CONFIG, as JSON.
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { getMcpConfigForManifest, unpackExtension, v0_3 } from "@anthropic-ai/mcpb";

const [bundle, folder, config] = process.argv.slice(2);
const unpacked = await unpackExtension({ mcpbPath: bundle, outputDir: folder, silent: true });
if (!unpacked) process.exit(1);
const manifest = v0_3.McpbManifestSchema.parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
const command = await getMcpConfigForManifest({
  manifest,
  extensionPath: folder,
  systemDirs: {},
  userConfig: { config_file: config },
  pathSeparator: sep,
});
console.log(JSON.stringify({ version: manifest.version, ...command }));
