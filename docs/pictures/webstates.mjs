// Pictures of every page and state of the web inbox, to look at: at four widths, light
// and dark, from right to left, and on paper. They go into the folder that the argument
// names; ONLY=ask,held makes only those. A sheet has all states of one kind side by side.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { empty, last, signsOut, stage } from './states.mjs';
import { world } from './world.mjs';

const to = path.resolve(process.argv[2]), only = process.env.ONLY && process.env.ONLY.split(',');
const widths = [[320, 640], [390, 780], [768, 1024], [1440, 900]];
mkdirSync(to, { recursive: true });

async function shots(w, states, person, locale, kinds) {
  const p = await w.person(person, { locale, reducedMotion: 'reduce' });
  for (const [name, show] of Object.entries(states)) {
    const wanted = !only || only.includes(name);
    if (!wanted && !(name === 'waiting' && only.includes('waiting-elsewhere'))) continue;
    await p.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await p.setViewportSize({ width: 1440, height: 900 });
    if (name !== 'waiting-elsewhere') await p.evaluate(() => localStorage.clear());
    try {
      const live = await show(p);
      if (live !== false) await p.waitForFunction(() => document.querySelector('#live').textContent);
    } catch (e) { console.log(`${name}, ${locale}: ${e.message.split('\n')[0]}`); }
    for (const [kind, width, height, media] of kinds) {
      await p.emulateMedia(media);
      await p.setViewportSize({ width, height });
      await p.screenshot({ path: `${to}/${kind}-${name}.png`, fullPage: media.media === 'print' });
    }
    if (signsOut(name)) await w.login(p, person);
  }
  await p.context().close();
}

const screens = widths.flatMap(([width, height]) => ['light', 'dark'].map(colorScheme => [`${width}-${colorScheme}`, width, height, { media: 'screen', colorScheme }]));
const paper = [['print', 794, 1123, { media: 'print', colorScheme: 'dark' }]];
const rtl = [['rtl-390', 390, 780, { media: 'screen', colorScheme: 'light' }], ['rtl-1440', 1440, 900, { media: 'screen', colorScheme: 'light' }]];
const german = [['de-390', 390, 780, { media: 'screen', colorScheme: 'light' }]];

let browser;
for (const [env, make] of [[{ SAYSO_DEMO_NOTIFY: '1' }, stage], [{ SAYSO_DEMO_EMPTY: '1' }, async w => empty(w)], [{}, async w => last(w)]]) {
  const w = await world(env);
  browser = w.browser;
  const states = await make(w);
  await shots(w, states, 'ann', 'en', [...screens, ...paper]);
  if (make === stage) {
    await shots(w, states, 'layla', 'ar', rtl);
    await shots(w, states, 'jan', 'de', german);
  }
  await w.end();
}

// sheets put the pictures of a kind side by side.
const files = readdirSync(to).filter(f => f.endsWith('.png') && !f.startsWith('sheet'));
for (const [kind, width] of [...screens, ...paper, ...rtl, ...german]) {
  const own = files.filter(f => f.startsWith(kind + '-'));
  if (!own.length) continue;
  const thumb = Math.min(width, 460), p = await browser.newPage({ viewport: { width: thumb * 4 + 60, height: 800 } });
  const html = `${to}/${kind}.html`;
  writeFileSync(html, `<style>body{margin:10px;display:flex;flex-wrap:wrap;gap:10px;background:#888;font:14px sans-serif}figure{margin:0;width:${thumb}px}img{width:100%;max-height:900px;object-fit:cover;object-position:top;display:block}</style>` +
    own.map(f => `<figure><figcaption>${f}</figcaption><img src="${f}"></figure>`).join(''));
  await p.goto('file://' + html);
  await p.screenshot({ path: `${to}/sheet-${kind}.png`, fullPage: true });
  await p.close();
}
await browser.close();
console.log(`${files.length} pictures in ${to}`);
