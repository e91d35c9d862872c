// The last screen of an asciicast, drawn by xterm.js in Debian's Chromium.
// usage: node shot.mjs FILE.cast FILE.png dark|light
import fs from 'node:fs';
import { chromium } from 'playwright-core';

const [cast, png, theme] = process.argv.slice(2);
const lines = fs.readFileSync(cast, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
const { width: cols, height: rows } = lines.shift();
const data = lines.filter((l) => l[1] === 'o').map((l) => l[2]).join('');
const colours = theme === 'light'
  ? { background: '#fbfbfd', foreground: '#1b1b22', cursor: '#5a32c8' }
  : { background: '#16161c', foreground: '#ededf2', cursor: '#b69cff' };

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
});
const page = await browser.newPage({ deviceScaleFactor: 1.5, viewport: { width: 1400, height: 900 } });
await page.setContent(`<body style="margin:0"><div id=t style="display:inline-block;padding:18px 20px;border-radius:12px;background:${colours.background}"></div></body>`);
await page.addStyleTag({ path: 'node_modules/@xterm/xterm/css/xterm.css' });
await page.addStyleTag({ content: '.xterm-viewport{overflow:hidden!important} .xterm-scrollable-element>.scrollbar,.xterm-scrollable-element>.shadow{display:none!important}' });
await page.addScriptTag({ path: 'node_modules/@xterm/xterm/lib/xterm.js' });
await page.evaluate(async ({ data, cols, rows, colours }) => {
  const font = '"JetBrains Mono"';
  await Promise.all([document.fonts.load(`15px ${font}`), document.fonts.load(`bold 15px ${font}`)]);
  const term = new Terminal({
    cols, rows, fontFamily: `${font}, "DejaVu Sans Mono", "Noto Sans Mono CJK SC"`, fontSize: 15,
    allowProposedApi: true, cursorBlink: false, cursorInactiveStyle: 'block', scrollback: 0, theme: colours,
  });
  term.open(document.getElementById('t'));
  term.focus(); // else no cursor
  await new Promise((done) => term.write(data, done));
  let last = rows - 1; // nobody looks at empty rows
  while (last > 0 && term.buffer.active.getLine(last).translateToString(true) === '') last--;
  term.resize(cols, last + 1);
  await new Promise((done) => setTimeout(done, 300));
}, { data, cols, rows, colours });
await (await page.$('#t')).screenshot({ path: png, omitBackground: true });
await browser.close();
