// The inbox in a real browser.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { alone, send, shown, world } from './world.mjs';

let w;
before(async () => { w = await world(); });
after(async () => { await w.end(); });

// open opens a question by its own address: who comes from the list goes on to the next one.
const open = async (p, text) => {
  const href = await p.locator('#asks li > a', { hasText: text }).first().getAttribute('href');
  await p.goto(new URL(href.split('?')[0], p.url()).href);
  await p.waitForSelector('#form');
};
const clean = p => { assert.deepEqual(p.problems, []); assert.deepEqual(p.foreign, []); };

alone('answer single, multi, own words and a note', async w => {
  const p = await w.person();
  await open(p, 'Which database');
  assert.equal(await p.locator('input:checked').count(), 0, 'nothing is chosen for the person');
  await p.click('text=SQLite');
  await p.click('text=Add a note >> nth=0');
  await p.fill('textarea[name=n0]', 'only for tests');
  await p.click('text=Authentication');
  await p.click('text=REST API');
  await p.fill('textarea[name=t2]', 'order-processor');
  await send(p, 'Send 3 answers');
  await shown(p, 'Answered');
  await shown(p, 'SQLite — note: “only for tests”');
  await shown(p, 'Authentication, REST API');
  await shown(p, '“order-processor”');
  clean(p);
});

alone('own words choose themselves, a missing answer is said, a part can be sent, and undone', async w => {
  const p = await w.person();
  await open(p, 'Which database');
  await p.fill('textarea[name=t0]', 'DynamoDB');
  assert.ok(await p.isChecked('input[name=q0][value=own]'));
  await send(p, 'Send 3 answers');
  await shown(p, 'Question 2 still needs an answer');
  assert.equal(await p.inputValue('textarea[name=t0]'), 'DynamoDB');
  await p.click('text=Send 1 of 3, skip 2');
  await shown(p, '“DynamoDB”');
  await p.click('text=Undo answer');
  await p.waitForSelector('#form');
  await p.click('text=Decline to answer');
  await p.fill('textarea[name=reason]', 'not mine to say');
  await p.click('button[value=decline]');
  await shown(p, 'Declined');
  await shown(p, 'not mine to say');
});

alone('what holds up most can be first, and stays so while the list changes', async w => {
  const p = await w.person();
  assert.equal(await p.locator('text=Blocking most work').count(), 0);
  await w.tell('block Which region?');
  await shown(p, 'holds up 2');
  const first = async () => (await p.locator('#asks .t').first().textContent()).trim();
  assert.notEqual(await first(), 'Which region?');
  await p.click('text=Blocking most work');
  await p.waitForURL(/order=blocking/);
  assert.equal(await first(), 'Which region?');
  await w.tell('ask One more?');
  await shown(p, 'One more?');
  assert.equal(await first(), 'Which region?');
  await open(p, 'Which region');
  await shown(p, 'Held up until you answer: next: write, deploy');
  clean(p);
});

alone('two browsers and one terminal race: one winner, the others are told', async w => {
  const [a, b] = [await w.person('ann'), await w.person('cleo')];
  for (const p of [a, b]) await open(p, 'Which licence');
  await b.fill('textarea[name=t0]', 'half a thought');
  await shown(b, 'Draft saved');
  await w.tell('answer MPL-2.0');
  for (const p of [a, b]) { await shown(p, 'by bob (terminal)'); await shown(p, '“MPL-2.0”'); }
  await shown(b, 'What you typed');
  assert.equal(await b.inputValue('.unsent textarea'), 'half a thought');
});

alone('the page is live although a script is late', async w => {
  const p = await w.person();
  let asked;
  const late = new Promise(done => { asked = done; });
  await p.route('**/assets/live.js', async r => { await late; await r.continue(); });
  await p.reload({ waitUntil: 'commit' });
  await p.waitForSelector('#asks');
  await w.tell('ask Late?');
  asked();
  await shown(p, 'Late?');
  await p.waitForFunction(() => document.querySelector('#live').textContent === 'live');
  clean(p);
});

alone('typed text and focus survive live updates and a restart', async w => {
  const p = await w.person();
  await open(p, 'Which database');
  await p.locator('textarea[name=t2]').pressSequentially('order-');
  await w.tell('asks 100');
  await p.waitForFunction(() => document.querySelector('.badge').textContent === '103');
  await w.tell('restart');
  await w.tell('ask After the restart?');
  await p.locator('textarea[name=t2]').pressSequentially('processor');
  assert.equal(await p.inputValue('textarea[name=t2]'), 'order-processor');
  assert.equal(await p.evaluate(() => document.activeElement.name), 't2');
  await p.waitForFunction(() => document.querySelector('.badge').textContent === '104');
  await p.waitForFunction(() => document.querySelector('#live').textContent === 'live'); // the list may be fetched before that is heard of
});

alone('without JavaScript, end to end', async w => {
  const p = await w.person('ann', { javaScriptEnabled: false });
  await open(p, 'Which licence');
  await p.click('text=Apache-2.0');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Answered');
});

alone('with the keyboard only', async w => {
  const p = await w.person();
  await p.focus('#asks li > a');
  const first = await p.textContent('#asks .t');
  await p.keyboard.press('Enter');
  await p.waitForSelector('#form');
  await p.keyboard.press('2');
  assert.ok(await p.isChecked('input[value="option:o2"]'));
  await p.keyboard.press('Enter');
  await p.waitForFunction(first => document.querySelector('#form legend .text')?.textContent !== first, first.trim()); // the next one opens
});

alone('no digit chooses what is dangerous', async w => {
  const p = await w.person();
  await open(p, 'Node pool B');
  await p.keyboard.press('1');
  assert.equal(await p.locator('input:checked').count(), 0);
});

test('the login address works once and leaves no trace', async () => {
  const link = await w.tell('login ann');
  const p = await (await w.context()).newPage();
  await p.goto(link);
  await p.waitForURL(w.base + '/');
  const q = await (await w.context()).newPage();
  await q.goto(link);
  await shown(q, 'was used before');
  assert.ok(!q.url().includes('#'));
});

test('offline, the page says so', async () => {
  const p = await w.person();
  await p.evaluate(() => navigator.serviceWorker.ready);
  await p.reload();
  const says = words => p.waitForFunction(words => document.querySelector('#live').textContent === words, words);
  await says('live');
  await p.context().setOffline(true);
  await says('offline');
  await p.context().setOffline(false);
  await says('live');
  await p.context().setOffline(true);
  await p.goto(w.base + '/').catch(() => {});
  await shown(p, 'You are offline');
});

alone('nothing that an asker writes runs, calls out or breaks our policy', async w => {
  const texts = JSON.parse(readFileSync(process.env.SAYSO_HOSTILE)).map(s => s.text);
  assert.ok(texts.length >= 120);
  const p = await w.person();
  for (let i = 0; i < texts.length; i += 12) await w.tell('hostile ' + JSON.stringify(texts.slice(i, i + 12)));
  await p.waitForFunction(n => document.querySelectorAll('#asks li[id]').length === n, 3 + Math.ceil(texts.length / 12));
  const hrefs = await p.$$eval('#asks li > a', as => as.map(a => a.getAttribute('href')));
  for (const href of hrefs) {
    await p.goto(w.base + href);
    await p.evaluate(() => { for (const c of document.querySelectorAll('.card input')) { c.focus(); c.click(); } });
    assert.equal(await p.evaluate(() => window.hit), undefined);
    assert.equal(new URL(p.url()).pathname, href.split('?')[0]);
    assert.equal(await p.evaluate(() => document.forms.length), 4);
  }
  await p.goto(w.base + hrefs[0]);
  await w.tell('answer ' + texts.filter(t => !/[\r\n]/.test(t)).join(' '));
  await shown(p, 'by bob (terminal)');
  await p.goto(w.base + '/stats');
  assert.equal(await p.evaluate(() => window.hit), undefined);
  // The draft of the clicks may come after bob's answer, and is refused then.
  p.problems = p.problems.filter(text => !text.includes('status of 409'));
  clean(p);
});

alone('the sound is off; title and icon count', async w => {
  const p = await w.person();
  assert.equal(await p.getAttribute('#sound', 'aria-pressed'), 'false');
  await w.tell('ask One more?');
  await p.waitForFunction(() => document.title.startsWith('(4)'));
  assert.match(await p.getAttribute('link[rel=icon]', 'href'), /waiting/);
  await p.click('#menu > summary');
  await p.click('#sound');
  assert.equal(await p.getAttribute('#sound', 'aria-pressed'), 'true');
  clean(p);
});
