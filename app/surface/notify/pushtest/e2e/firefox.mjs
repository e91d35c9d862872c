// Web Push in Firefox from the pairing link to the answer, without anybody's server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import puppeteer from 'puppeteer-core';
import { ask, click, closeAll, displayed, find, press, sayso, say, shown, trust, until } from './tools.mjs';

const { BASE: base, SERVICE: service, SHOTS: shots } = process.env;
const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'sayso-firefox-'));
trust(profile);
const browser = await puppeteer.launch({
  browser: 'firefox', executablePath: find('firefox-esr'), headless: false, userDataDir: profile,
  extraPrefsFirefox: {
    'dom.push.enabled': true, 'dom.push.connection.enabled': true,
    'dom.push.serverURL': service, 'dom.push.testing.allowInsecureServerURL': true,
    'permissions.default.desktop-notification': 1, 'remote.prefs.recommended': false,
    'dom.webnotifications.requireuserinteraction': false,
    'network.dns.localDomains': new URL(base).hostname,
    'dom.disable_open_click_delay': 60_000,
  },
});
let rc = 0;
try {
  await sayso('preferences', '--grace', '0s'); // so that a choice is sent with a button

  // Pair: the link of `sayso web` signs this browser in.
  const page = await browser.newPage();
  await page.goto(JSON.parse(await sayso('web', '--no-open', '--json')).url);
  await page.waitForSelector('#asks');
  say('paired');

  // Subscribe on the page.
  await page.goto(base + '/notifications');
  await page.waitForSelector('#push-on:not([hidden])');
  await page.click('#push-on');
  await page.waitForSelector('[data-active]', { timeout: 60_000 });
  assert.match(await page.$eval('main', m => m.textContent), /Firefox on Linux/);
  say('subscribed');

  // At once, with the question in it.
  await page.select('.devices select[name=after]', '-1');
  await page.select('.devices select[name=detail]', '2');
  await Promise.all([page.waitForNavigation(), page.click('.devices button[value=change]')]);
  assert.equal(await page.$eval('.devices select[name=after]', s => s.value), '-1');

  // A test arrives, and the person says so.
  await Promise.all([page.waitForNavigation(), page.click('.devices button[value=test]')]);
  await until('the test is shown', () => shown().length === 1);
  await Promise.all([page.waitForNavigation(), page.click('button[value=confirm]')]);
  assert.match(await page.$eval('.devices .m', m => m.textContent), /^Works/);
  say('test', shown()[0]);
  await page.goto(base + '/notifications'); // what it says of the test is on the page before
  if (shots) await page.screenshot({ path: shots + '/firefox-notifications.png' });
  closeAll();
  await until('nothing is shown', () => displayed() === 0);

  // A question: Firefox shows it, a click opens it.
  await ask('Which database?', 'PostgreSQL', 'SQLite');
  await until('the question is shown', () => shown().length === 2);
  assert.match(shown()[1], /Which database\?/);
  say('shown', shown()[1]);
  await until('it is on the screen', () => displayed() === 1);
  click();
  const at = await until('the question opens', async () => {
    for (const p of await browser.pages()) if (p.url().startsWith(base + '/ask/')) return p;
  });
  await at.waitForSelector('#form');
  assert.match(await at.$eval('#form', f => f.textContent), /Which database\?/);
  say('opened', new URL(at.url()).pathname.slice(0, 5));

  // Answered on the page.
  await at.click('.card input[value="option:o2"]');
  await at.click('.bar button[value=send]');
  await at.waitForSelector('#closed');
  say('answered', (await sayso('list', '--all', '--json')).includes('"answered"'));

  // A second one is answered elsewhere: its notification disappears.
  for (const p of await browser.pages()) await p.goto('about:blank');
  await until('nothing is shown', () => displayed() === 0);
  const id = await ask('Deploy now?', 'Yes', 'No');
  await until('the second question is shown', () => shown().length === 3 && displayed() === 1);
  await sayso('answer', id, 'Yes');
  await until('it is withdrawn', () => displayed() === 0);
  assert.equal(shown().length, 3, 'nothing was shown in its place');
  say('withdrawn');

  // A button opens the question in a new window with the option selected, and sends nothing.
  const third = await ask('Delete the branch?', 'Yes', 'Later');
  await until('the third question is shown', () => shown().length === 4 && displayed() === 1);
  press('Later');
  const picked = await until('the question opens in a window of its own', async () => {
    for (const p of await browser.pages()) if (p.url().includes('?pick=')) return p;
  });
  await picked.waitForSelector('#picked');
  assert.match(await picked.$eval('#picked', e => e.textContent), /“Later” is selected because you chose it in the notification\. Nothing is sent yet\./);
  assert.deepEqual(await picked.$$eval('#form input:checked', all => all.map(i => i.value)), ['option:o2']);
  assert.match(await sayso('show', third), /open; answer with/);
  if (shots) await picked.screenshot({ path: shots + '/firefox-picked.png' });
  await picked.click('.bar button[value=send]');
  await picked.waitForSelector('#closed');
  await until('it is gone', () => displayed() === 0);
  say('selected, then sent');

  // Turned off: nothing comes any more.
  await page.goto(base + '/notifications');
  await Promise.all([page.waitForNavigation(), page.click('#push-off button')]);
  assert.match(await page.$eval('#push', e => e.textContent), /gets no notifications/);
  say('off');
} catch (e) {
  console.log('FAILED', e.stack, '\nshown:', shown());
  rc = 1;
}
await browser.close();
fs.rmSync(profile, { recursive: true, force: true });
process.exit(rc);
