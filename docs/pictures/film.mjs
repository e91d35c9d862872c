// Several asciicasts that were recorded at the same time, as windows below each
// other: one PNG for each change, and the delays between them for convert.
// usage: node film.mjs FOLDER TITLE=FILE.cast…
import fs from 'node:fs';
import { dark, open, read } from './screen.mjs';

const settle = 120; // ms within which writes belong to one frame
const longest = 1500; // ms that nothing may happen
const end = 3500; // ms that the last frame stays
const whole = 18500; // ms that all frames take at most, faster than it was if need be

const [folder, ...args] = process.argv.slice(2);
const windows = args.map((a) => { const [title, file] = a.split('='); return { title, ...read(file) }; });
const { browser, page } = await open(`<body style="margin:0"><div id=film style="display:inline-block;background:#2a2a33;padding:10px">${windows.map((w, i) =>
  `<div style="margin:${i ? 10 : 0}px 0 0;border-radius:10px;overflow:hidden;background:${dark.background}">
    <div style="font:600 13px 'DejaVu Sans',sans-serif;color:#a9a9b8;background:#22222b;padding:6px 14px">${w.title}</div>
    <div id=t${i} style="padding:8px 12px"></div></div>`).join('')}</div></body>`, 1.5);
await page.evaluate(async ({ sizes, colours }) => {
  window.terms = sizes.map(({ cols, rows }, i) => terminal(document.getElementById('t' + i), { cols, rows, fontSize: 15, theme: colours }));
}, { sizes: windows.map(({ cols, rows }) => ({ cols, rows })), colours: dark });

const writes = windows.flatMap((w, i) => w.writes.map((x) => ({ ...x, window: i }))).sort((a, b) => a.at - b.at);
const film = await page.$('#film');
const frames = [];
let last = '';
for (let i = 0; i < writes.length;) {
  const at = writes[i].at, now = [];
  for (; i < writes.length && writes[i].at - at < settle; i++) now.push(writes[i]);
  await page.evaluate(async (now) => {
    for (const { window: w, data } of now) await new Promise((done) => terms[w].write(data, done));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, now);
  const text = await page.evaluate(() => terms.map((t) => Array.from({ length: t.rows }, (_, y) => t.buffer.active.getLine(y).translateToString(true)).join('\n')).join('\n'));
  const next = i < writes.length ? Math.min(writes[i].at - at, longest) : end;
  if (text === last) { frames.at(-1).delay += next; continue; } // a cursor that moved
  last = text;
  const file = `${folder}/${String(frames.length).padStart(4, '0')}.png`;
  await film.screenshot({ path: file });
  frames.push({ file, delay: next });
}
await browser.close();
const total = () => frames.reduce((sum, f) => sum + f.delay, 0);
for (const f of frames.slice(0, -1)) f.delay = Math.min(f.delay, longest);
const speed = Math.min(1, (whole - end) / (total() - end));
for (const f of frames.slice(0, -1)) f.delay *= speed;
fs.writeFileSync(`${folder}/frames.txt`, frames.map(({ file, delay }) => `-delay ${Math.round(delay / 10)} ${file}`).join('\n') + '\n');
console.log(`${frames.length} frames, ${(total() / 1000).toFixed(1)} s, ${(1 / speed).toFixed(1)} times as fast as it was`);
