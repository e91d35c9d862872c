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
  for (const [name, options] of Object.entries({
    'web-notifications': { viewport: { width: 1120, height: 900 } },
    'web-notifications-phone': { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true, deviceScaleFactor: 1.75 },
    ...(process.env.SAYSO_LOOK ? { // to look at, not to keep
      'look-dark': { viewport: { width: 1120, height: 1500 }, colorScheme: 'dark' },
      'look-phone-dark': { viewport: { width: 390, height: 2400 }, isMobile: true, colorScheme: 'dark' },
      'look-narrow': { viewport: { width: 320, height: 2600 }, isMobile: true },
    } : {}),
  })) {
    await w.tell('devices ' + name);
    const p = await w.person(name, options);
    if (process.env.SAYSO_LOOK) await shot(p, name + '-inbox');
    await p.goto(w.base + '/notifications');
    await live(p);
    await shot(p, name);
  }
  await w.tell('history');
  const p = await w.person('ann', { viewport: { width: 1120, height: 920 } });
  await p.goto(w.base + '/stats');
  await live(p);
  await shot(p, 'web-stats');
  const wants = { shell: await w.tell('approve shell'), edit: await w.tell('approve edit') };
  if (process.env.SAYSO_LOOK) for (const name of ['write', 'files', 'plan', 'blind']) wants[name] = await w.tell('approve ' + name);
  for (const colorScheme of process.env.SAYSO_LOOK ? ['light', 'dark'] : ['light']) {
    for (const [width, height] of [[390, 1360], [768, 1760], [1440, 1560]]) {
      const phone = width < 400 ? { isMobile: true, hasTouch: true, deviceScaleFactor: 1.75 } : {};
      for (const [name, path] of Object.entries(wants)) {
        const kept = name === { 390: 'shell', 768: 'edit', 1440: 'edit' }[width] && colorScheme === 'light';
        if (!kept && !process.env.SAYSO_LOOK) continue;
        const p = await w.person(`${name}${width}${colorScheme}`, { viewport: { width, height }, colorScheme, ...phone });
        await p.goto(w.base + path);
        await live(p);
        await shot(p, kept ? `web-approval-${width}` : `look-${name}-${width}-${colorScheme}`);
      }
    }
  }
} finally {
  await w.end();
  await w.browser.close();
}
