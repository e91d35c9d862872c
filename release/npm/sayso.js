#!/usr/bin/env node
// Runs the binary of this platform, which npm installed as an optional package.
'use strict';
const { spawn } = require('node:child_process');

const name = `@saysohq/sayso-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/sayso${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`sayso: the package "${name}" is not installed`);
  console.error('  Install again without --omit=optional. Other platforms: build from source.');
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on('error', (err) => {
  console.error(`sayso: ${err.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code);
  for (const s of signals) process.removeAllListeners(s);
  process.kill(process.pid, signal); // ends as the binary did
});
