// What both browsers need: waiting, the notification daemon, and the sayso program.
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import fs from 'node:fs';

const run = promisify(execFile);
export const find = name => execFileSync('sh', ['-c', 'command -v ' + name]).toString().trim();
export const sayso = async (...args) => (await run(process.env.SAYSO, args, { timeout: 60_000 })).stdout.trim();

// ask leaves a question in the inbox and returns its id.
export async function ask(text, ...options) {
  const args = ['ask', text, '--agent', 'claude-code', '--wait', '1ms', ...options.flatMap(o => ['-o', o])];
  await run(process.env.SAYSO, args, { timeout: 60_000 }).catch(e => { if (e.code !== 75) throw e; });
  return (await sayso('list')).split('\n').find(line => line.includes(text)).split(/\s/)[0];
}

// until waits for something to be so, and gives up after a minute.
export async function until(what, is) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise(r => setTimeout(r, 50))) {
    const v = await is();
    if (v) return v;
  }
  throw new Error('never: ' + what);
}

// The screen.
const dunst = (...args) => execFileSync('dunstctl', args).toString().trim();
export const shown = () => fs.readFileSync(process.env.SHOWN, 'utf8').split('\n').filter(Boolean);
export const displayed = () => Number(dunst('count', 'displayed'));
export const click = () => dunst('action', '0');
export const press = label => { fs.writeFileSync(process.env.PICK, label); dunst('context'); };
export const closeAll = () => dunst('close-all');
export const say = (...words) => console.log('ok', ...words);

// trust makes a browser with this folder of certificates trust the hub's authority.
export function trust(dir) {
  fs.mkdirSync(dir, { recursive: true });
  execFileSync('certutil', ['-N', '-d', 'sql:' + dir, '--empty-password']);
  execFileSync('certutil', ['-A', '-d', 'sql:' + dir, '-n', 'test authority', '-t', 'C,,', '-i', process.env.CA]);
}
