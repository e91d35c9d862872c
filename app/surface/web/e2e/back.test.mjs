// A page that was away is live again within 3 seconds, shows what was asked meanwhile,
// and has what was typed: after another page, after sleep, and after it was offline.
import assert from 'node:assert/strict';
import { alone, shown, until } from './world.mjs';

const area = 'textarea[name=t0]';
const live = p => p.waitForFunction(() => document.querySelector('#live').textContent === 'live');

// opened is a live page of a question, with a half-typed answer.
async function opened(w, shared = true) {
  const p = await w.person();
  if (!shared) await p.context().addInitScript(() => { delete window.SharedWorker; });
  await p.goto(w.base + await w.put({ text: 'What should it be called?' }));
  await live(p);
  await p.fill(area, 'half a thought');
  await shown(p, 'Draft saved');
  return p;
}

// soon does what brings a page back, which must be live and up to date soon after.
async function soon(p, comes, meanwhile, typed = 'half a thought') {
  const start = Date.now();
  await comes();
  await shown(p, meanwhile);
  await live(p);
  const took = Date.now() - start;
  assert.ok(took < (process.env.SAYSO_FIGURES ? 3000 : 30_000), `${took} ms`);
  assert.equal(await p.inputValue(area), typed);
}

alone('after another page and back', async w => {
  const p = await opened(w);
  await p.route('**/draft', r => r.abort());
  await p.fill(area, 'a whole one'); // which does not reach the hub
  await p.goto(w.base + '/settings');
  await w.tell('ask While away?');
  await soon(p, () => p.goBack(), 'While away?', 'a whole one');
});

// The test browser keeps no pages to go back to: these events are what one does that does.
alone('after another page and back, in a browser that kept the page', async w => {
  const p = await opened(w);
  const passes = name => p.evaluate(name => { dispatchEvent(new PageTransitionEvent(name, { persisted: true })); }, name);
  await passes('pagehide');
  await until('no connection', async () => await w.tell('streams') === '0');
  await w.tell('ask While away?');
  await soon(p, () => passes('pageshow'), 'While away?');
  await w.tell('ask And now?');
  await shown(p, 'And now?');
});

for (const shared of [true, false]) {
  alone(`after it was offline, and after sleep, ${shared ? 'with' : 'without'} shared workers`, async w => {
    const p = await opened(w, shared);
    await p.context().setOffline(true);
    await shown(p, 'offline');
    const missed = p.waitForEvent('requestfailed', r => /\/(list|events)\b/.test(r.url())); // connections there are may last
    await w.tell('ask While offline?');
    await missed;
    await soon(p, () => p.context().setOffline(false), 'While offline?');

    await w.tell('sleep');
    await w.tell('ask While asleep?');
    const hour = 'Date.now = (now => () => now() + 3_600_000)(Date.now)'; // timers stand still in sleep, and no event ends it
    await soon(p, () => shared ? inWorker(w, hour) : p.evaluate(hour), 'While asleep?');
  });
}

// inWorker runs something in the worker that all pages share, in which Playwright cannot.
async function inWorker(w, expression) {
  const cdp = await w.browser.newBrowserCDPSession();
  const { targetInfos } = await cdp.send('Target.getTargets');
  const { targetId } = targetInfos.find(t => t.type === 'shared_worker' && t.url.startsWith(w.base));
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: false });
  const reply = new Promise(done => cdp.on('Target.receivedMessageFromTarget', ({ message }) => {
    const m = JSON.parse(message);
    if (m.id === 1) done(m);
  }));
  await cdp.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }) });
  const { result, error } = await reply;
  assert.ok(result && !result.exceptionDetails, JSON.stringify(error ?? result));
  await cdp.detach();
}
