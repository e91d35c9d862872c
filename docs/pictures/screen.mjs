// Terminals in a page: xterm.js in Debian's Chromium.
import fs from 'node:fs';
import { chromium } from 'playwright-core';

export const dark = { background: '#16161c', foreground: '#ededf2', cursor: '#b69cff' };
export const light = { background: '#fbfbfd', foreground: '#1b1b22', cursor: '#5a32c8' };

// read returns an asciicast: its size, when it began, and what was written, each with its time in ms.
export function read(file) {
  const lines = fs.readFileSync(file, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const { width: cols, height: rows, begin } = lines.shift();
  return { cols, rows, writes: lines.filter((l) => l[1] === 'o').map((l) => ({ at: begin + l[0] * 1000, data: l[2] })) };
}

// open returns a page with the HTML, in which the function terminal(element, options) makes a terminal.
export async function open(html, scale) {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
  const page = await browser.newPage({ deviceScaleFactor: scale, viewport: { width: 1400, height: 900 } });
  await page.setContent(html);
  await page.addStyleTag({ path: 'node_modules/@xterm/xterm/css/xterm.css' });
  await page.addStyleTag({ content: '.xterm-viewport{overflow:hidden!important} .xterm-scrollable-element>.scrollbar,.xterm-scrollable-element>.shadow{display:none!important}' });
  await page.addScriptTag({ path: 'node_modules/@xterm/xterm/lib/xterm.js' });
  await page.evaluate(async () => {
    const font = '"JetBrains Mono"';
    await Promise.all([document.fonts.load(`15px ${font}`), document.fonts.load(`bold 15px ${font}`)]);
    window.terminal = (element, options) => {
      const term = new Terminal({
        fontFamily: `${font}, "DejaVu Sans Mono", "Noto Sans Mono CJK SC"`,
        allowProposedApi: true, cursorBlink: false, cursorInactiveStyle: 'block', scrollback: 0, ...options,
      });
      term.open(element);
      return term;
    };
  });
  return { browser, page };
}
