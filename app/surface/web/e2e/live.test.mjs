// Pages that are open stay up to date: one connection for all tabs of a browser, live
// again soon after the hub is back, on slow networks, and without losing anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, send, shown, until, within } from './world.mjs';

const area = 'textarea[name=t0]';
const words = { text: 'What should it be called?' };
const live = p => p.waitForFunction(() => document.querySelector('#live').textContent === 'live');
const tabs = async (context, url, n) => Promise.all(Array.from({ length: n }, async () => {
  const p = await context.newPage();
  await p.goto(url);
  return p;
}));

alone('ten tabs share one connection, and all are live', async w => {
  const first = await w.person();
  const all = [first, ...await tabs(first.context(), w.base + '/', 9)];
  for (const p of all) await live(p);
  await until('one connection', async () => await w.tell('streams') === '1');
  await w.tell('ask Seen in every tab?');
  for (const p of all) await shown(p, 'Seen in every tab?');
  await first.goto(w.base + await w.put(words)); // an eleventh page still loads
  await first.fill(area, 'x');
  await shown(first, 'Draft saved');
});

alone('two tabs: what is answered in one closes in the other, which keeps its text', async w => {
  const path = await w.put(words), a = await w.person();
  await a.goto(w.base + path);
  const [b] = await tabs(a.context(), w.base + path, 1);
  await live(b);
  await b.fill(area, 'half a thought');
  await a.fill(area, 'the answer');
  await send(a);
  await shown(b, '“the answer”');
  await shown(b, 'What you typed');
  assert.equal(await b.inputValue('.unsent textarea'), 'half a thought');
});

alone('where browsers have no shared workers, each page has its own connection', async w => {
  const p = await w.person();
  await p.context().addInitScript(() => { delete window.SharedWorker; });
  const all = await tabs(p.context(), w.base + '/', 2);
  for (const p of all) await live(p);
  await until('three connections', async () => await w.tell('streams') === '3');
  await w.tell('ask Told to each?');
  for (const p of all) await shown(p, 'Told to each?');
  await w.tell('restart');
  await w.tell('ask And after a restart?');
  for (const p of all) await shown(p, 'And after a restart?');
});

alone('signed out in one tab, signed out in all, and live again after signing in', async w => {
  const p = await w.person();
  const [q] = await tabs(p.context(), w.base + '/', 1);
  await live(q);
  await p.context().clearCookies();
  await p.evaluate(() => refreshList());
  for (const t of [p, q]) await t.waitForSelector('#out:visible');
  const [tab] = await Promise.all([q.waitForEvent('popup'), q.click('#out >> text=Sign in')]);
  await tab.waitForURL(w.base + '/login');
  await w.login(tab);
  for (const t of [p, q]) { await live(t); await t.waitForSelector('#out', { state: 'hidden' }); }
});

alone('signed out while a list is on its way: the page does not forget it', async w => {
  const p = await w.person();
  await live(p);
  await p.waitForFunction(() => !fetching);
  let release, hold = new Promise(done => { release = done; });
  const held = new Promise(done => p.route('**', async r => {
    if (r.request().headers()['sayso-part'] !== 'list') return r.continue();
    const response = await r.fetch();
    done();
    await hold;
    await r.fulfill({ response });
  }));
  await p.evaluate(() => { refreshList(); });
  await held;
  await p.request.post(w.base + '/logout', { maxRedirects: 0 });
  await p.waitForSelector('#out', { state: 'visible' });
  release();
  await p.waitForFunction(() => !fetching);
  await p.waitForSelector('#out', { state: 'visible' });
});

alone('a slow network: what is typed while it is sent or fetched is not lost', async w => {
  const path = await w.put(words), p = await w.person();
  await p.goto(w.base + path);
  await live(p);
  const cdp = await p.context().newCDPSession(p);
  await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 1500, downloadThroughput: 20_000, uploadThroughput: 20_000 });
  await p.locator(area).pressSequentially('slowly ', { delay: 20 });
  await w.tell('asks 30');
  await p.locator(area).pressSequentially('but surely', { delay: 20 });
  await send(p);
  await p.waitForFunction(() => document.querySelector('#saved')?.textContent === 'Sending…' || document.querySelector('#closed'));
  await shown(p, '“slowly but surely”');
  assert.equal((await w.state(path)).outcome.answers[0].other, 'slowly but surely');
});

alone('a list that changes keeps the focus, the search and the scroll position', async w => {
  const p = await w.person('ann', { viewport: { width: 1280, height: 600 } });
  await w.tell('asks 30');
  await shown(p, 'Question number 30?');
  await p.locator('#asks a', { hasText: 'Question number 20?' }).focus();
  await p.evaluate(() => scrollTo(0, 600));
  const at = await p.evaluate(() => [scrollY, document.activeElement.href]);
  await w.tell('answer x');
  await w.tell('ask At the end?');
  await shown(p, 'At the end?');
  assert.equal(await p.evaluate(() => document.activeElement.href), at[1]);
  await p.fill('[type=search]', 'half typed');
  await w.tell('ask Once more?');
  await shown(p, 'Once more?');
  assert.equal(await p.inputValue('[type=search]'), 'half typed');
  assert.equal(await p.evaluate(() => document.activeElement.type), 'search');
});

// An attempt to connect may hang, as it does after the network was away. When somebody looks
// at a page, it is made again, but not when it has only just begun.
alone('a page that is looked at gives an attempt up that hangs', async w => {
  const p = await w.person();
  const attempts = await p.evaluate(() => {
    const begun = [], now = Date.now;
    let later = 0;
    Date.now = () => now() + later;
    window.fetch = (url, { signal }) => { begun.push(signal); return new Promise(() => {}); };
    const f = follow(() => {});
    const look = ms => { later += ms; f.look(); return begun.map(s => s.aborted ? 'given up' : 'waits'); };
    return [look(0), look(2000), look(2000), look(1000)];
  });
  assert.deepEqual(attempts, [['waits'], ['waits'], ['given up', 'waits'], ['given up', 'waits']]);
});

// The figure LIVE: from the moment the hub answers again to the last of ten tabs that
// shows what was asked then.
test('live again after the hub is back', async () => {
  const rounds = Number(process.env.SAYSO_ROUNDS ?? 2), took = [];
  await within(async w => {
    const first = await w.person();
    const all = [first, ...await tabs(first.context(), w.base + '/', 9)];
    for (const p of all) await live(p);
    for (let i = 0; i < rounds; i++) {
      await w.tell('kill');
      for (const p of all) await shown(p, 'reconnecting…');
      if (i) await new Promise(done => setTimeout(done, i * 700)); // down for a while: waits have grown
      await w.tell('revive');
      const start = Date.now();
      await w.tell(`ask Back ${i}?`);
      await Promise.all(all.map(p => shown(p, `Back ${i}?`)));
      await Promise.all(all.map(live));
      took.push(Date.now() - start);
    }
  });
  console.log(`FIGURE LIVE ${(Math.max(...took) / 1000).toFixed(1)} s`);
  assert.ok(Math.max(...took) < (process.env.SAYSO_FIGURES ? 3000 : 30_000), `${took} ms`);
});
