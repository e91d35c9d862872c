// The inbox in Firefox ESR: what people do most, and what browsers do differently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firefox } from './firefox.mjs';
import { until, within } from './world.mjs';

const live = f => f.until(() => document.querySelector('#live')?.textContent === 'live');

test('in Firefox', async t => within(async w => {
  const f = await firefox();
  try {
    await t.test('sign in with a link, and be live', async () => {
      await f.goto(await w.tell('login ann'));
      await f.until(() => location.pathname === '/' && document.querySelector('#asks'));
      await live(f);
      await w.tell('ask Seen at once?');
      await f.shown('Seen at once?');
    });
    await t.test('answer with the keyboard, and undo', async () => {
      const path = await w.put({ text: 'Which database?', options: [{ label: 'PostgreSQL' }, { label: 'SQLite' }] });
      await f.goto(w.base + path);
      await live(f);
      await f.press('2');
      await f.until(() => document.querySelector('[value="option:o2"]')?.checked || document.querySelector('.undo'));
      if (await f.evaluate(() => Boolean(document.querySelector('.bar button.go')))) await f.click('.bar button.go');
      await f.click('.undo button');
      await f.until(() => document.querySelector('#form'));
      assert.ok(await f.evaluate(() => document.querySelector('[value="option:o2"]').checked));
    });
    await t.test('search', async () => {
      await f.goto(w.base + '/?q=licence');
      await f.until(() => document.querySelectorAll('#asks li').length === 1);
      await f.shown('Which licence');
    });
    await t.test('a text survives the end of the hub, and the page is live again', async () => {
      const path = await w.put({ text: 'What should it be called?' });
      await f.goto(w.base + path);
      await live(f);
      await f.type('textarea[name=t0]', 'first ');
      await f.shown('Draft saved');
      await w.tell('kill');
      await f.shown('reconnecting…');
      await f.type('textarea[name=t0]', 'second');
      await f.click('.bar [value=send]');
      await f.shown('Waiting to send.');
      await w.tell('revive');
      const back = Date.now();
      await f.until(() => document.querySelector('#closed'));
      await live(f);
      console.log(`live again after ${Date.now() - back} ms`);
      assert.equal((await w.state(path)).outcome.answers[0].other, 'first second');
    });
    await t.test('ten tabs share one connection', async () => {
      const all = [await f.here()];
      await f.goto(w.base + '/');
      for (let i = 0; i < 9; i++) {
        all.push(await f.tab());
        await f.goto(w.base + '/');
      }
      let n;
      await until('one connection', async () => (n = await w.tell('streams')) === '1').catch(e => { throw new Error(`${e.message}: ${n}`); });
      await w.tell('ask In every tab?');
      for (const tab of all) {
        await f.to(tab);
        await f.shown('In every tab?');
        await live(f);
      }
    });
  } finally { await f.end(); }
}));
