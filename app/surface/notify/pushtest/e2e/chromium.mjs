// The worker and the pages in Chromium. Its push service is Google's, so the messages
// come from the browser's own tools, and subscribing has to give up in time.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ask, click, closeAll, displayed, find, press, sayso, say, shown, trust, until } from './tools.mjs';

const { BASE: base, SHOTS: shots } = process.env;
trust(path.join(process.env.HOME, '.pki/nssdb'));
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'sayso-chromium-'));
const ctx = await chromium.launchPersistentContext(profile, {
  executablePath: find('chromium'), headless: false,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-quic', `--host-resolver-rules=MAP ${new URL(base).hostname} 127.0.0.1`],
});
let rc = 0;
try {
  await sayso('preferences', '--grace', '0s'); // so that a choice is sent with a button
  await ctx.grantPermissions(['notifications'], { origin: base });
  const page = await ctx.newPage();
  await page.goto(JSON.parse(await sayso('web', '--no-open', '--json')).url);
  await page.waitForSelector('#asks');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  const cdp = await ctx.newCDPSession(page);
  let registration;
  cdp.on('ServiceWorker.workerRegistrationUpdated', e => { for (const r of e.registrations) if (!r.isDeleted && r.scopeURL.startsWith(base)) registration = r.registrationId; });
  await cdp.send('ServiceWorker.enable');
  await until('the worker', () => registration);
  const push = m => cdp.send('ServiceWorker.deliverPushMessage', { origin: base, registrationId: registration, data: JSON.stringify(m) });

  // Subscribing gives up by itself, and says why.
  await page.goto(base + '/notifications');
  await page.click('#push-on');
  await page.waitForFunction(() => /did not answer within 20 seconds|could not be turned on/.test(document.querySelector('#push-hint').textContent), null, { timeout: 60_000 });
  say('gave up:', await page.textContent('#push-hint'));
  assert.equal(await page.isEnabled('#push-on'), true);

  // A message shows a notification; the next of its tag takes its place; `gone` closes it.
  await ask('Which database?', 'PostgreSQL', 'SQLite');
  await page.goto(base + '/');
  const at = new URL(await page.getAttribute('#asks a', 'href'), base).pathname;
  const note = { title: 'claude-code asks', body: 'Which database?', navigate: base + at, tag: 'k1', actions: [{ action: '0', title: 'PostgreSQL', navigate: base + at + '?pick=o1' }, { action: '1', title: 'SQLite', navigate: base + at + '?pick=o2' }] };
  const send = n => push({ web_push: 8030, notification: n, n: 1 });
  await send(note);
  await until('it is shown', () => shown().length === 1 && displayed() === 1);
  await send({ ...note, body: 'Which database now?', renotify: true });
  await until('it is replaced', () => shown().length === 2);
  assert.equal(displayed(), 1);
  await push({ gone: true, tag: 'k1' });
  await until('it is withdrawn', () => displayed() === 0);
  assert.equal(shown().length, 2);
  say('shown, replaced, withdrawn');

  // A click brings the open page to the front, and it goes to the question.
  await send({ ...note, tag: 'k2' });
  await until('it is shown', () => shown().length === 3 && displayed() === 1);
  await new Promise(r => setTimeout(r, 1000)); // the daemon is slower to take a click than to show
  click();
  await page.waitForURL('**' + at);
  say('a click opened the question in the page that was open');

  // A page with an answer that is not sent stays, and offers a link.
  await page.click('.card input[value="option:o1"]');
  const other = await ask('Deploy now?', 'Yes', 'No');
  await send({ ...note, tag: 'k3', navigate: base + '/?view=all', actions: [] });
  await until('it is shown', () => shown().length === 4 && displayed() === 1);
  await new Promise(r => setTimeout(r, 1000));
  click();
  await page.waitForSelector('#live a');
  assert.equal(new URL(page.url()).pathname, at);
  assert.equal(await page.isChecked('.card input[value="option:o1"]'), true);
  say('a page with an answer in it stayed');

  // Without a page, a button opens one, with the option selected and nothing sent.
  await page.goto('about:blank');
  await send({ ...note, tag: 'k4' });
  await until('it is shown', () => shown().length === 5 && displayed() === 1);
  await new Promise(r => setTimeout(r, 1000));
  press('SQLite');
  const picked = await until('a page opens', () => ctx.pages().find(p => p.url().includes('?pick=o2')));
  await picked.waitForSelector('#picked');
  assert.equal(await picked.isChecked('.card input[value="option:o2"]'), true);
  assert.match(await sayso('list'), /Which database/);
  if (shots) await picked.screenshot({ path: shots + '/chromium-picked.png' });
  say('a button opened the question with the option selected');

  // A message of another origin leads nowhere else.
  await send({ ...note, tag: 'k5', navigate: 'https://evil.example/x', actions: [] });
  await until('it is shown', () => shown().length === 6 && displayed() === 1);
  await new Promise(r => setTimeout(r, 1000));
  await picked.goto('about:blank');
  click();
  await until('the inbox opens', () => ctx.pages().find(p => p.url() === base + '/'));
  assert.equal(ctx.pages().some(p => p.url().includes('evil')), false);
  closeAll();
  await sayso('decline', other);
  say('a foreign address was not opened');

  // A subscription that the browser replaces on its own reaches the hub.
  const key = crypto.createECDH('prime256v1');
  key.generateKeys();
  const replaced = { endpoint: 'https://fcm.googleapis.com/fcm/send/replaced', keys: { p256dh: key.getPublicKey('base64url'), auth: crypto.randomBytes(16).toString('base64url') } };
  const worker = await until('the worker runs', () => ctx.serviceWorkers()[0]);
  await worker.evaluate(s => { dispatchEvent(Object.assign(new ExtendableEvent('pushsubscriptionchange'), { newSubscription: s })); }, replaced);
  await until('the hub has it', async () => (await sayso('notify', 'list')).includes('push-1'));
  say('a subscription that was replaced reached the hub');
} catch (e) {
  console.log('FAILED', e.stack, '\nshown:', shown(), '\npages:', ctx.pages().map(p => p.url()));
  rc = 1;
}
await ctx.close();
fs.rmSync(profile, { recursive: true, force: true });
process.exit(rc);
