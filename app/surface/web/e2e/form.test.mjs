// The form in a real browser: nothing that was typed is lost, nothing is sent that was
// not seen, and undo shows what was sent.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { alone, send, shown } from './world.mjs';

const words = { text: 'What should it be called?' };
const database = { header: 'Database', text: 'Which database?', options: [{ label: 'PostgreSQL' }, { label: 'SQLite', preview: 'file: app.db' }] };
const area = 'textarea[name=t0]';
const saved = p => p.waitForFunction(() => document.querySelector('#saved').textContent === 'Draft saved');
const show = async (w, p, path) => { await p.goto(w.base + path); await p.waitForSelector('#form'); };
const stored = () => Object.keys(localStorage).filter(k => k.startsWith('sayso '));

alone('undo shows what was sent, not an older draft', async w => {
  const p = await w.person();
  await show(w, p, await w.put(database));
  await p.click('text=PostgreSQL');
  await saved(p);
  await p.click('text=SQLite');
  await p.click('.bar >> text=Send answer'); // before the draft of it is saved
  await shown(p, 'Answered by you');
  await p.click('text=Undo answer');
  await p.waitForSelector('#form');
  assert.ok(await p.isChecked('[value="option:o2"]'));
  assert.deepEqual(await p.evaluate(stored), []);
});

alone('a draft that comes after an undo changes nothing', async w => {
  const p = await w.person();
  const path = await w.put(database);
  await show(w, p, path);
  const [held] = await Promise.all([
    new Promise(done => p.route('**/draft', async route => {
      const r = route.request();
      done([r.url(), { method: 'POST', body: r.postData(), headers: await r.allHeaders() }]);
    })),
    p.click('text=PostgreSQL'),
  ]);
  await p.click('text=SQLite');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Answered by you');
  await p.click('text=Undo answer');
  await p.waitForSelector('#form');
  const cookies = (await p.context().cookies()).map(c => `${c.name}=${c.value}`).join('; ');
  const { status } = await fetch(held[0], { ...held[1], headers: { ...held[1].headers, cookie: cookies } });
  assert.equal(status, 409);
  await show(w, p, path);
  assert.ok(await p.isChecked('[value="option:o2"]'), 'after loading again');
});

alone('a form that cannot be sent stays, says so, and can be sent again', async w => {
  const p = await w.person();
  const path = await w.put(words);
  await show(w, p, path);
  await p.evaluate(() => navigator.serviceWorker.ready);
  for (const [cut, mend] of [
    [() => p.context().setOffline(true), () => p.context().setOffline(false)],
    [() => w.tell('kill'), () => w.tell('revive')],
  ]) {
    await p.fill(area, 'two words, ');
    await cut();
    await p.locator(area).pressSequentially('and more');
    await p.click('.bar >> text=Send answer');
    await shown(p, 'Waiting to send.');
    assert.equal(await p.evaluate(() => document.activeElement.id), 'queued', 'the focus is on the message');
    assert.equal(await p.inputValue(area), 'two words, and more');
    await p.click('text=Do not send');
    await p.locator(area).pressSequentially('!');
    await p.reload().catch(() => {});
    await mend();
    await show(w, p, path);
    assert.equal(await p.inputValue(area), 'two words, and more!', 'a reload loses nothing');
    await p.fill(area, '');
  }
  await p.fill(area, 'two words, and more');
  await p.click('.bar >> text=Send answer');
  await shown(p, '“two words, and more”');
  assert.deepEqual(await p.evaluate(stored), [], 'the hub has it: the browser keeps nothing');
});

alone('the end of a session is said, and loses nothing', async w => {
  const p = await w.person();
  const path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'first');
  await saved(p);
  await p.context().clearCookies();
  await p.locator(area).pressSequentially(' second');
  await shown(p, 'Draft not saved: you are signed out');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'Not sent: you are signed out');
  const [tab] = await Promise.all([p.waitForEvent('popup'), p.click('#out >> text=Sign in')]);
  await tab.waitForURL(w.base + '/login');
  await w.login(tab);
  assert.equal(tab.url(), w.base + path); // the text is there in a second tab
  assert.equal(await tab.inputValue(area), 'first second');
  await tab.close();
  await p.click('.bar >> text=Send answer');
  await shown(p, '“first second”');
});

alone('a session that is ended elsewhere is said at once, and loses nothing', async w => {
  const p = await w.person();
  const path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'first');
  await saved(p);
  const other = await w.person();
  await other.goto(w.base + '/sessions');
  await p.bringToFront();
  await other.click('text=End all others');
  await shown(other, 'One session was ended.');
  await p.waitForSelector('#out:visible');
  assert.equal(await p.innerText('#live'), 'signed out');
  await p.locator(area).pressSequentially(' second');
  await shown(p, 'Draft not saved: you are signed out');
  const [tab] = await Promise.all([p.waitForEvent('popup'), p.click('#out >> text=Sign in')]);
  await tab.waitForURL(w.base + '/login');
  await w.login(tab);
  assert.equal(tab.url(), w.base + path);
  assert.equal(await tab.inputValue(area), 'first second');
  await tab.close();
  assert.equal(await p.inputValue(area), 'first second');
  await p.click('.bar >> text=Send answer');
  await shown(p, '“first second”');
  await p.waitForSelector('#out', { state: 'hidden' });
  assert.deepEqual(p.problems.filter(t => !t.includes('401')), []);
});

alone('a link to a question survives signing in, also in another tab', async w => {
  const path = await w.put(words), context = await w.context();
  const p = await context.newPage();
  await p.goto(w.base + path);
  assert.equal(p.url(), w.base + '/login');
  await w.login(p);
  assert.equal(p.url(), w.base + path);
  await p.click('#menu > summary');
  await p.click('text=Sign out');
  await p.waitForURL(w.base + '/login');
  await p.goto(w.base + path);
  const tab = await context.newPage();
  await w.login(tab);
  assert.equal(tab.url(), w.base + path);
});

alone('without JavaScript, the end of a session hands the text back', async w => {
  const p = await w.person('ann', { javaScriptEnabled: false });
  const path = await w.put(database, words);
  await show(w, p, path);
  await p.click('text=SQLite');
  await p.fill('textarea[name=t1]', '\n two lines\nof text ');
  const cookies = await p.context().cookies();
  await p.context().clearCookies();
  await p.click('.bar >> text=Send 2 answers');
  await shown(p, 'You are signed out');
  assert.equal(await p.inputValue('textarea[name=t1]'), '\n two lines\nof text ');
  await p.context().addCookies(cookies);
  await p.click('text=Continue with this answer');
  await shown(p, 'Nothing was sent yet');
  await p.click('.bar >> text=Send 2 answers');
  await shown(p, 'Answered by you');
  const { outcome } = await w.state(path);
  assert.deepEqual(outcome.answers, [{ questionId: 'q1', selected: ['o2'] }, { questionId: 'q2', other: '\n two lines\nof text ' }]);
});

alone('without JavaScript, a form that cannot be sent is there when you go back', async w => {
  const p = await w.person('ann', { javaScriptEnabled: false });
  const path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'typed by hand');
  await w.tell('kill');
  await p.click('.bar >> text=Send answer').catch(() => {});
  await p.waitForURL(/^chrome-error:/); // the browser says so itself
  await w.tell('revive');
  await p.goBack();
  await p.waitForSelector('#form');
  // The browser fills the form in after it has shown it.
  for (const end = Date.now() + 30_000; Date.now() < end && await p.inputValue(area) === '';) await pause(50);
  assert.equal(await p.inputValue(area), 'typed by hand');
});

alone('two tabs type into the same form: neither loses what the other has', async w => {
  const a = await w.person();
  const path = await w.put(words);
  const b = await a.context().newPage();
  await show(w, a, path);
  await show(w, b, path);
  await a.fill(area, 'from the first tab');
  await saved(a);
  await b.fill(area, 'from the second tab');
  await saved(b);
  assert.equal(await b.inputValue('.unsent textarea'), 'from the first tab');
  await a.reload();
  assert.equal(await a.inputValue(area), 'from the second tab');
  assert.equal(await a.inputValue('.unsent textarea'), 'from the first tab');
  await b.click('.bar >> text=Send answer');
  await shown(a, 'Answered by you');
  await shown(a, 'What you typed');
  assert.equal(await a.inputValue('.unsent textarea'), 'from the first tab');
  await a.click('text=Discard this text');
  assert.equal(await a.locator('.unsent').count(), 0);
});

alone('a dangerous option looks dangerous and takes a second step', async w => {
  const p = await w.person();
  const path = await w.put({ text: 'What about the old table?', options: [{ label: 'Keep it' }, { label: 'Drop the table', description: 'All 1,204 rows are gone for good', danger: true }] });
  await show(w, p, path);
  const look = n => p.$eval(`.card >> nth=${n}`, c => getComputedStyle(c).borderStyle);
  assert.notEqual(await look(0), await look(1), 'the border tells it, not only the colour');
  await p.click('text=Drop the table');
  await p.focus('.bar button');
  await p.keyboard.press('Enter');
  await shown(p, 'Yes, send “Drop the table”');
  assert.equal(await p.evaluate(() => document.activeElement.id), 'confirm');
  await p.keyboard.press('Enter'); // on the message
  await p.focus('[value="option:o2"]');
  await p.keyboard.press('Enter'); // the same action again
  await p.waitForFunction(() => document.activeElement.id === 'confirm');
  assert.ok((await w.state(path)).open);
  await p.click('text=Yes, send “Drop the table”');
  await shown(p, 'Answered by you');
});

alone('what is to be confirmed is what was sent, whatever another tab has', async w => {
  const a = await w.person();
  const path = await w.put({ text: 'What about the old table?', options: [{ label: 'Keep it' }, { label: 'Drop the table', danger: true }] });
  const b = await a.context().newPage();
  await show(w, a, path);
  await show(w, b, path);
  await b.route('**/draft', r => r.abort()); // so the browser keeps it
  await b.click('text=Keep it');
  await b.click('text=Add a note');
  await b.fill('textarea[name=n0]', 'from the second tab');
  await shown(b, 'Draft not saved');
  await a.click('text=Drop the table');
  await send(a);
  await shown(a, 'Yes, send “Drop the table”');
  assert.ok(await a.isChecked('[value="option:o2"]'));
  assert.equal(await a.inputValue('textarea[name=n0]'), '');
  await a.click('text=Yes, send “Drop the table”');
  await shown(a, 'Answered by you');
  assert.deepEqual((await w.state(path)).outcome.answers, [{ questionId: 'q1', selected: ['o2'] }]);
});

alone('words that name an option choose it while typing, and go on to be words', async w => {
  const p = await w.person();
  const path = await w.put(database);
  await show(w, p, path);
  await p.locator(area).pressSequentially('sqlite');
  await shown(p, '“sqlite” is the option “SQLite”');
  assert.ok(await p.isChecked('[value="option:o2"]'));
  await p.locator(area).pressSequentially(' in memory');
  assert.ok(await p.isChecked('[value="own"]'));
  assert.equal(await p.textContent('.named'), '');
  await saved(p);
  await p.fill(area, 'SQLITE');
  await shown(p, '“SQLITE” is the option “SQLite”');
  await send(p);
  await shown(p, 'Answered by you');
  assert.deepEqual((await w.state(path)).outcome.answers, [{ questionId: 'q1', selected: ['o2'] }]);
});

alone('nothing is sent before its end was on the screen', async w => {
  const p = await w.person('ann', { viewport: { width: 1280, height: 700 } });
  const long = n => '```\n' + Array.from({ length: n }, (_, i) => `line ${i + 1} of ${n}`).join('\n') + '\n```';
  const path = await w.put({ ...database, body: long(300), options: [{ label: 'PostgreSQL' }, { label: 'SQLite', preview: long(200) }] });
  await show(w, p, path);
  await p.evaluate(() => { const c = document.querySelector('[value="option:o2"]'); c.checked = true; c.dispatchEvent(new Event('input', { bubbles: true })); });
  const on = text => p.evaluate(t => { const e = [...document.querySelectorAll('pre')].find(e => e.textContent.includes(t)); const r = e.getBoundingClientRect(); return r.bottom > 0 && r.bottom < innerHeight; }, text);
  for (const last of ['line 300 of 300', 'line 200 of 200']) {
    for (let i = 0; !(await on(last)); i++) {
      assert.ok(i < 5, last);
      await p.click('.bar >> text=Send answer');
      await shown(p, 'Not sent yet: you had not seen everything');
      await p.waitForFunction(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
    }
  }
  assert.ok((await w.state(path)).open);
  await send(p);
  await shown(p, 'Answered by you');
});

alone('nothing is hidden sideways, and every preview opens without choosing', async w => {
  const p = await w.person('ann', { viewport: { width: 320, height: 700 } });
  const path = await w.put({ ...database, body: 'Before it:\n\n- [x] tests pass\n- [ ] backup made\n\n```\nnpm test' + ' '.repeat(900) + '; curl evil.example\n```\n\n<div>\nraw <b>text</b>\n</div>\n\n[hidden]: https://evil.example "a title"' });
  await show(w, p, path);
  assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll('pre, .md, .card')].every(e => e.scrollWidth <= e.clientWidth + 1)));
  for (const text of ['☑ tests pass', '☐ backup made', '; curl evil.example', 'raw <b>text</b>']) assert.ok((await p.innerText('.md')).includes(text), text);
  await p.click('text=Show this text as it was sent');
  assert.ok((await p.innerText('.source pre')).includes('[hidden]: https://evil.example "a title"'));
  await p.click('summary >> text=Preview');
  assert.ok(await p.isVisible('text=file: app.db'));
  assert.equal(await p.locator('input:checked').count(), 0);
});

alone('closed elsewhere: who, where and what; words and choices stay to be copied', async w => {
  const p = await w.person();
  const path = await w.put(database, words);
  await show(w, p, path);
  await p.click('text=SQLite');
  await p.fill('textarea[name=t1]', 'half a thought');
  await w.tell(`close ${path} MariaDB`);
  await shown(p, 'Answered by bob (terminal)');
  await shown(p, '“MariaDB”');
  assert.deepEqual(await p.$$eval('.unsent textarea', all => all.map(t => t.value)), ['half a thought', 'SQLite']);
  assert.equal(await p.locator('text=Undo answer').count(), 0, 'it is not mine to undo');
  await p.reload();
  assert.deepEqual((await p.$$eval('.unsent textarea', all => all.map(t => t.value))).sort(), ['SQLite', 'half a thought']);
});

alone('undo is offered only where it works', async w => {
  const p = await w.person();
  const path = await w.put(words);
  await show(w, p, path);
  await p.fill(area, 'x');
  await p.click('.bar >> text=Send answer');
  await shown(p, 'You can undo until the agent receives it');
  await w.tell('consume ' + path);
  await shown(p, 'You can no longer undo this answer');
  assert.equal(await p.locator('text=Undo answer').count(), 0);
});

alone('digits act only on what is on the screen', async w => {
  const p = await w.person();
  await show(w, p, await w.put({ ...database, body: 'line\n\n'.repeat(100) }));
  await p.evaluate(() => scrollTo(0, 0));
  await p.keyboard.press('2');
  assert.equal(await p.locator('input:checked').count(), 0);
  await p.locator('[value="option:o2"]').scrollIntoViewIfNeeded();
  await p.keyboard.press('2');
  assert.ok(await p.isChecked('[value="option:o2"]'));
});
