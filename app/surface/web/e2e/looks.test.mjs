// Every page and state: nothing for axe to find in light, in dark and in German, nothing
// that scrolls sideways on a phone, and what a screen reader is given, as it was when
// somebody last read it: SAYSO_UPDATE=1 writes aria.golden anew.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { empty, last, signsOut, stage } from './states.mjs';
import { axe, within } from './world.mjs';

const golden = process.env.SAYSO_GOLDEN ?? 'aria.golden';
const sections = text => new Map([...text.matchAll(/^=== (.+)\n([^]*?)(?=^=== |(?![^]))/gm)].map(m => [m[1], m[2]]));
const known = sections((() => { try { return readFileSync(golden, 'utf8'); } catch { return ''; } })());
const now = new Map();

// spoken is what a screen reader is given, without what differs from run to run: of the
// list on the pages that are about it, else of what is beside it.
const lists = ['inbox', 'search', 'nothing-found', 'grouped', 'later', 'history', 'empty', 'empty-history', 'waiting-elsewhere', 'signed-out', 'keys'];
const spoken = async (p, name) => (await p.locator(lists.includes(name) ? 'body' : 'main').ariaSnapshot())
  .replace(/^\s*- \/url: .*\n?/gm, '').trimEnd()
  .replace(/\bjust now\b|\b\d+ (?:s|min|h|days?) ago\b|gerade eben|vor \d+ (?:Min\.|Std\.|Tag(?:en)?)/g, 'TIME')
  .replace(/\b\d{1,2}\.? \p{L}{3,4}\.?(?: \d{4})?,? \d\d:\d\d(?: [A-Z]+)?/gu, 'DATE')
  .replace(/- status: Draft saved/g, '- status')
  .replace(/(?:today|yesterday|tomorrow|heute|gestern|morgen)(?: um)? \d\d:\d\d/g, 'DATE')
  .replace(/for \p{L}*[0-9a-z]{4,6}\?/gu, 'for X?')
  .replace(/\b\d\d?\b(?= s(?:econds?|ekunden?)?\b)/g, 'N') + '\n';

// counted leaves out what changes with the day and its time: figures, how many weeks there are, and the order.
const counted = says => [...new Set(says.replace(/\b\d+ \p{L}+ \d{4}\b/gu, 'DATE').replace(/\d+(?:\.\d+)?/g, 'N')
  .replace(/N (?:d|h|min|s)\b(?: N (?:h|min|s)\b)?/g, 'N').split('\n').map(line => line.trim()))].filter(Boolean).sort().join('\n') + '\n';

// look has axe look at a page as it stands.
async function look(p, name, widths) {
  for (const [colorScheme, width] of widths) {
    await p.emulateMedia({ colorScheme });
    await p.setViewportSize({ width, height: 3000 }); // so that the bar with the buttons covers nothing
    assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways at ${width} px`);
    assert.deepEqual(await axe(p), [], `${name}, ${colorScheme}, ${width} px`);
  }
}

async function every(t, w, states, person, language, each) {
  let p = await w.person(person, { reducedMotion: 'reduce', locale: language });
  for (const [name, show] of Object.entries(states)) {
    await t.test(`${name}, ${language}`, async () => {
      await p.setViewportSize({ width: 1280, height: 800 });
      if (name !== 'waiting-elsewhere') await p.evaluate(() => localStorage.clear()); // what waits to be sent is on every page
      if (await show(p) !== false) await p.waitForFunction(() => ![W.connecting, ''].includes(document.querySelector('#live').textContent));
      await each(p, name);
      if (signsOut(name)) await w.login(p, person);
    });
  }
}

const pages = (t, env, states) => within(async w => {
  const all = { ...await states(w), ...env.last?.(w) };
  await every(t, w, all, 'ann', 'en', async (p, name) => {
    const says = await spoken(p, name);
    now.set(name, name.includes('stats') ? counted(says) : says);
    await look(p, name, [['dark', 1280], ['light', 320]]);
  });
  if (env.german) await every(t, w, all, 'cleo', 'de', async (p, name) => {
    assert.equal(await p.getAttribute('html', 'lang'), 'de');
    await look(p, name, [['dark', 390]]);
  });
}, env.env);

test('every page and state', t => pages(t, { env: { SAYSO_DEMO_NOTIFY: '1' }, german: true }, stage));
test('when nothing waits', t => pages(t, { env: { SAYSO_DEMO_EMPTY: '1' } }, async w => empty(w)));
test('when the hub fails', t => pages(t, {}, async w => last(w)));

test('what a screen reader is given', async t => {
  if (process.env.SAYSO_UPDATE) {
    writeFileSync(golden, [...now].map(([name, says]) => `=== ${name}\n${says}`).join(''));
    return;
  }
  assert.deepEqual([...now.keys()], [...known.keys()]);
  for (const [name, says] of now) await t.test(name, () => assert.equal(says, known.get(name)));
});
