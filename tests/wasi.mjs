// Runs a WASI program under node, in this directory: node --no-warnings tests/wasi.mjs PROGRAM ARGUMENTS...
import { WASI } from "node:wasi";
import { readFileSync } from "node:fs";
const wasi = new WASI({ version: "preview1", args: process.argv.slice(2), preopens: { ".": "." }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), wasi.getImportObject());
process.exit(wasi.start(instance));
