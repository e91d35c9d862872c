// The last screen of an asciicast as a picture.
// usage: node shot.mjs FILE.cast FILE.png dark|light
import { dark, light, open, read } from './screen.mjs';

const [file, png, theme] = process.argv.slice(2);
const { cols, rows, writes } = read(file);
const colours = theme === 'light' ? light : dark;
const { browser, page } = await open(`<body style="margin:0"><div id=t style="display:inline-block;padding:18px 20px;border-radius:12px;background:${colours.background}"></div></body>`, 1.5);
await page.evaluate(async ({ data, cols, rows, colours }) => {
  const term = terminal(document.getElementById('t'), { cols, rows, fontSize: 15, theme: colours });
  term.focus(); // else no cursor
  await new Promise((done) => term.write(data, done));
  let last = rows - 1; // nobody looks at empty rows
  while (last > 0 && term.buffer.active.getLine(last).translateToString(true) === '') last--;
  term.resize(cols, last + 1);
  await new Promise((done) => setTimeout(done, 300));
}, { data: writes.map((w) => w.data).join(''), cols, rows, colours });
await (await page.$('#t')).screenshot({ path: png, omitBackground: true });
await browser.close();
