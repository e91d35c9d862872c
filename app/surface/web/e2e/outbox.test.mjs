// A form that finds no hub: its answer waits in the browser, is never called sent before
// the hub has it, and is sent once.
import assert from 'node:assert/strict';
import { alone, send, shown, until } from './world.mjs';

const words = { text: 'What should it be called?' };
const area = 'textarea[name=t0]';
const show = async (w, p, path) => { await p.goto(w.base + path); await p.waitForSelector('#form'); };
const waits = p => p.evaluate(() => Object.keys(localStorage).filter(k => k.startsWith('sayso out ')).length);
const older = (p, ms) => p.evaluate(ms => {
  for (const k of Object.keys(localStorage)) if (k.startsWith('sayso out ')) localStorage[k] = JSON.stringify({ ...JSON.parse(localStorage[k]), at: Date.now() - ms });
}, ms);
const answered = (w, path) => until('it is answered', async () => !(await w.state(path)).open);
const said = async (w, path) => (await w.state(path)).outcome.answers.map(a => a.other);

alone('an answer waits for the hub on its page, and is sent when the hub is back', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'kept');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Waiting to send.');
  assert.equal(await p.evaluate(() => document.activeElement.id), 'queued', 'the focus is on the message');
  assert.equal(await p.inputValue(area), 'kept');
  assert.equal(await p.locator('#closed').count(), 0);
  await w.tell('revive');
  await shown(p, 'Answered by you');
  assert.deepEqual(await said(w, path), ['kept']);
  assert.equal(await waits(p), 0);
});

alone('it survives a reload and the closing of the tab, and any page of the inbox sends it', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.evaluate(() => navigator.serviceWorker.ready);
  await p.fill(area, 'kept');
  await p.context().setOffline(true);
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Waiting to send.');
  await p.reload().catch(() => {});
  const q = await p.context().newPage();
  await p.close();
  await p.context().setOffline(false).catch(() => {});
  await q.context().setOffline(false);
  await q.goto(w.base + '/');
  await shown(q, 'Sent:');
  assert.deepEqual(await said(w, path), ['kept']);
  await q.click('#outbox a');
  await shown(q, '“kept”');
  await q.waitForSelector('#outbox', { state: 'detached' });
});

alone('a repeat is one answer, although the first reply was lost', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'once');
  let lost = 0;
  await p.route(w.base + path + '?*', async r => {
    if (r.request().method() !== 'POST' || lost++ > 1) return r.continue();
    await r.fetch();
    await r.abort();
  });
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Answered by you');
  assert.ok(lost >= 1);
  const { outcome, history } = await w.state(path);
  assert.deepEqual([outcome.answers[0].other, history ?? []], ['once', []]);
});

alone('it can be cancelled, and the text is in the form again', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'not yet');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await p.click('#queued >> text=Do not send');
  assert.equal(await waits(p), 0);
  await p.locator(area).pressSequentially(', or later');
  await w.tell('revive');
  await shown(p, 'Draft saved');
  assert.ok((await w.state(path)).open);
  await p.click('.bar >> text=Send answer');
  await shown(p, '“not yet, or later”');
});

alone('after ten minutes it is sent only if the person says so', async w => {
  const p = await w.person(), path = await w.put(words), other = await w.put({ text: 'And this?' });
  for (const at of [path, other]) {
    await show(w, p, at);
    await p.fill(area, 'long ago');
    await p.route('**/ask/**', r => r.request().method() === 'POST' ? r.abort() : r.continue());
    await p.click('.bar >> text=Send answer');
    await shown(p, 'Waiting to send.');
    await p.unrouteAll();
    await older(p, 11 * 60_000);
  }
  await show(w, p, path);
  await shown(p, 'Not sent yet.');
  await p.waitForFunction(() => document.querySelector('#live').textContent === 'live');
  await p.evaluate(() => flush());
  assert.ok((await w.state(path)).open && (await w.state(other)).open);
  assert.equal(await p.inputValue(area), 'long ago');
  await p.click('#queued >> text=Send now');
  await shown(p, 'Answered by you');
  await p.click('#outbox >> text=Send now');
  await answered(w, other);
});

alone('after signing in anew it asks first', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'before');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Waiting to send.');
  await p.context().clearCookies();
  await w.tell('revive');
  await shown(p, 'Not sent yet.');
  await p.waitForSelector('#out:visible');
  await w.login(p);
  await shown(p, 'Not sent yet.');
  await p.evaluate(() => flush());
  assert.ok((await w.state(path)).open);
  await p.click('#outbox >> text=Send now');
  await answered(w, path);
});

alone('answered elsewhere meanwhile: it says so, and the text stays', async w => {
  const p = await w.person(), path = await w.put(words), other = await w.put({ text: 'And this?' });
  for (const at of [path, other]) {
    await show(w, p, at);
    await p.fill(area, 'my words');
    await p.route('**/ask/**', r => r.request().method() === 'POST' ? r.abort() : r.continue());
    await p.click('.bar >> text=Send answer');
    await shown(p, 'Waiting to send.');
    await w.tell(`close ${at} theirs`);
    await shown(p, 'by bob (terminal)');
    assert.equal(await p.inputValue('.unsent textarea'), 'my words');
    assert.equal(await waits(p), 0);
    await p.unrouteAll();
  }
  const third = await w.put({ text: 'The third?' });
  await show(w, p, third);
  await p.fill(area, 'my words');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Waiting to send.');
  await p.goto('about:blank');
  await w.tell('revive');
  await w.tell(`close ${third} theirs`);
  await p.goto(w.base + '/');
  await shown(p, 'Not sent, because it has changed or was answered meanwhile.');
  await p.click('#outbox a');
  await shown(p, 'by bob (terminal)');
  assert.equal(await p.inputValue('.unsent textarea'), 'my words');
});

alone('what is dangerous is not sent without its second step', async w => {
  const p = await w.person(), path = await w.put({ text: 'The old table?', options: [{ label: 'Keep it' }, { label: 'Drop it', danger: true }] });
  await show(w, p, path);
  await p.click('text=Drop it');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Waiting to send.');
  await p.goto('about:blank');
  await w.tell('revive');
  await p.goto(w.base + '/');
  await shown(p, 'Not sent: it needs one more step from you');
  assert.ok((await w.state(path)).open);
  await p.click('#outbox a');
  await p.waitForSelector('#form');
  assert.ok(await p.isChecked('[value="option:o2"]'));
});

alone('no secret waits in the browser', async w => {
  const p = await w.person(), path = await w.put(words);
  await show(w, p, path);
  await p.evaluate(() => document.querySelector('[name=t0]').replaceWith(Object.assign(document.createElement('input'), { type: 'password', name: 't0', className: 'secret' })));
  await p.fill('.secret', 'hunter2'); // the hub takes no ask for a secret today; the page would
  await w.tell('kill');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'This may not have been sent: there was no reply');
  assert.equal(await p.evaluate(() => document.activeElement.id), 'failed', 'the focus is on the message');
  assert.equal(await p.inputValue('.secret'), 'hunter2');
  assert.ok(!(await p.evaluate(() => JSON.stringify({ ...localStorage }))).includes('hunter2'));
  await w.tell('revive');
  await send(p);
  await shown(p, '“hunter2”');
});
