// Pictures of the web inbox, into the folder that the argument names.
import { world } from './world.mjs';

const w = await world();
const shot = (page, name) => page.screenshot({ path: `${process.argv[2]}/${name}.png` });
const live = p => p.waitForFunction(() => document.querySelector('#live').textContent === 'live');
const choose = async p => {
  await p.click('#asks >> text=Which database');
  await p.waitForSelector('#form');
  await live(p);
  await p.click('.card:not(.own) label >> nth=1');
  await p.waitForFunction(() => document.querySelector('#saved').textContent !== '');
};
try {
  for (const [name, options] of Object.entries({
    'web-desktop': { viewport: { width: 1120, height: 760 } },
    'web-dark': { viewport: { width: 1120, height: 760 }, colorScheme: 'dark' },
    'web-phone': { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.75 },
  })) {
    const p = await w.person(name, options);
    await choose(p);
    await p.evaluate(() => scrollTo(0, 0));
    await shot(p, name);
  }
  await w.tell('history');
  const p = await w.person('ann', { viewport: { width: 1120, height: 920 } });
  await p.goto(w.base + '/stats');
  await live(p);
  await shot(p, 'web-stats');
} finally {
  await w.end();
  await w.browser.close();
}
