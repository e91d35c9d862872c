// Triage in a real browser: a person works through what waits, with keys and by touch.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { accessible, shown, until, within } from './world.mjs';

const grace = { SAYSO_DEMO_GRACE: '5', SAYSO_DEMO_EMPTY: '1' };
const triage = (name, fn, env = grace) => test(name, () => within(fn, env));
const choice = (text, ...labels) => ({ text, options: labels.map(label => ({ label })) });
const question = p => p.locator('#form legend .text').first();
// What is refused, or has to be confirmed, comes back with 422.
const clean = p => { assert.deepEqual(p.problems.filter(text => !text.includes('status of 422')), []); assert.deepEqual(p.foreign, []); };

// forty are the asks of app/surface/surfacetest, and what the person says to each.
const forty = JSON.parse(readFileSync('../../app/surface/surfacetest/testdata/forty.json'));

async function putForty(w) {
  const paths = new Map();
  for (const d of forty) paths.set(d.ask.id, await w.tell('put ' + JSON.stringify(d.ask)));
  return paths;
}

// The next question is there when the one before is not.
async function gone(p, was) {
  await p.waitForFunction(was => document.readyState === 'complete' && (document.querySelector('#ask')?.dataset.ask ?? '') !== was, was);
  await p.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))); // nobody answers what was not drawn yet
}

async function wantStored(w, paths) {
  for (const d of forty) {
    let s;
    await until(`${d.ask.id} is closed`, async () => (s = await w.state(paths.get(d.ask.id))).outcome);
    const [a] = s.outcome.answers, options = d.ask.approval ? d.ask.approval.offers : null;
    const want = (d.choose ?? []).map(n => options ? options[n - 1].id : `o${n}`);
    assert.equal(s.outcome.status, 'answered', d.ask.id);
    assert.deepEqual(a.selected ?? [], want, d.ask.id);
    assert.equal(a.other ?? '', d.type ?? '', d.ask.id);
  }
}

// byHandle finds what the person says to the question that is open.
const decision = async (p, paths) => {
  const handle = await p.getAttribute('#ask', 'data-ask');
  return forty.find(d => paths.get(d.ask.id) === '/ask/' + handle);
};

triage('KEYS-desktop: 40 asks of 8 agents with the keyboard, at most 1.5 keys each', async w => {
  const paths = await putForty(w);
  const p = await w.person('ann', { viewport: { width: 1440, height: 900 } });
  let keys = 0;
  const press = key => { keys++; return p.keyboard.press(key); };
  await press('Enter'); // opens the first
  await p.waitForSelector('#form');
  for (let n = 0; n < forty.length; n++) {
    const d = await decision(p, paths), handle = await p.getAttribute('#ask', 'data-ask');
    assert.ok(d, `question ${n} is none of the forty`);
    const options = d.ask.questions?.[0]?.options ?? [];
    if (d.type) {
      await p.keyboard.type(d.type); // its letters are not counted
      await press('Control+Enter');
    } else if (options[d.choose[0] - 1]?.danger) {
      await press(String(d.choose[0])); // leads to it
      await press('Space'); // chooses it
      await press('Enter');
      await p.waitForSelector('#confirm');
      await press('Tab');
      await press('Enter');
    } else {
      for (const k of d.choose) await press(String(k));
      if (d.ask.approval || d.ask.questions[0].multi) await press('Enter');
    }
    await gone(p, handle);
  }
  await shown(p, 'All caught up');
  await wantStored(w, paths);
  console.log(`FIGURE KEYS-desktop ${(keys / forty.length).toFixed(2)} keys/decision`);
  assert.ok(keys / forty.length <= 1.5, `${keys} keys for ${forty.length} decisions`);
  clean(p);
});

triage('KEYS-phone: 40 asks of 8 agents by touch at 390 px, at most 1.5 taps each', async w => {
  const paths = await putForty(w);
  const p = await w.person('ann', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  let taps = 0;
  // What is not on the screen takes a swipe, which counts too.
  const tap = async what => {
    const e = typeof what === 'string' ? p.locator(what) : what;
    if (!await e.evaluate(e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })) taps++;
    taps++;
    await e.tap();
  };
  await tap(p.locator('#asks li > a').first());
  await p.waitForSelector('#form');
  for (let n = 0; n < forty.length; n++) {
    const d = await decision(p, paths), handle = await p.getAttribute('#ask', 'data-ask');
    assert.ok(d, `question ${n} is none of the forty`);
    const send = '#form .bar > button.go';
    if (d.type) {
      await tap('textarea[name=t0]');
      await p.keyboard.type(d.type);
      await tap(send);
    } else if (d.ask.questions?.[0]?.options?.[d.choose[0] - 1]?.danger) {
      await tap(p.locator('#form .card').nth(d.choose[0] - 1));
      await tap(send);
      await p.waitForSelector('#confirm');
      await tap('#confirm button.danger');
    } else {
      for (const k of d.choose) await tap(p.locator('#form .card').nth(k - 1));
      if (d.ask.approval || d.ask.questions[0].multi) await tap(send);
      const [last] = d.choose.slice(-1);
      if (await p.locator('#unread').count()) await tap(d.ask.approval || d.ask.questions[0].multi ? send : p.locator('#form .card').nth(last - 1)); // something was not on the screen
    }
    await gone(p, handle);
  }
  await shown(p, 'All caught up');
  await wantStored(w, paths);
  console.log(`FIGURE KEYS-phone ${(taps / forty.length).toFixed(2)} taps/decision`);
  assert.ok(taps / forty.length <= 1.5, `${taps} taps for ${forty.length} decisions`);
  clean(p);
});

triage('choosing sends, the next question opens, and the answer can be undone until it is sent', async w => {
  const first = await w.put(choice('First?', 'Red', 'Blue')), second = await w.put(choice('Second?', 'Up', 'Down'));
  const p = await w.person();
  await p.keyboard.press('Enter');
  await p.waitForSelector('#form');
  assert.equal(await question(p).textContent(), 'First?');
  await p.keyboard.press('2');
  await p.waitForFunction(() => document.querySelector('#form legend .text')?.textContent === 'Second?');
  await shown(p, 'Sends in');
  assert.ok((await w.state(first)).open, 'the agent has it before its time');
  await p.keyboard.press('u');
  await p.waitForFunction(() => document.querySelector('#form legend .text')?.textContent === 'First?');
  assert.ok(await p.isChecked('input[value="option:o2"]'), 'what was undone is in the form');
  assert.ok((await w.state(second)).open);
  await p.keyboard.press('1');
  await p.keyboard.press('Enter');
  await until('it is sent', async () => (await w.state(first)).outcome);
  assert.deepEqual((await w.state(first)).outcome.answers[0].selected, ['o1']);
  await p.waitForFunction(() => document.querySelector('#held').hidden);
  clean(p);
});

triage('without JavaScript, one tap sends and a page offers to undo it', async w => {
  const path = await w.put(choice('First?', 'Red', 'Blue'));
  await w.put(choice('Second?', 'Up', 'Down'));
  const p = await w.person('ann', { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  await p.click('text=First?');
  await p.click('button:has-text("Blue")');
  await shown(p, 'Sends in');
  assert.equal(await question(p).textContent(), 'Second?');
  await p.click('#held button');
  assert.equal(await question(p).textContent(), 'First?');
  assert.ok((await w.state(path)).open);
  assert.equal((await w.state(path)).outcome, null);
});

triage('one left for later does not come next, and waits in its view', async w => {
  const path = await w.put(choice('First?', 'Red', 'Blue'));
  await w.put(choice('Second?', 'Up', 'Down'));
  const p = await w.person();
  await p.keyboard.press('Enter');
  await p.waitForSelector('#form');
  await p.keyboard.press('e');
  await p.keyboard.press('1'); // in 1 hour
  await p.waitForFunction(() => document.querySelector('#form legend .text')?.textContent === 'Second?');
  await p.keyboard.press('1');
  await shown(p, 'All caught up');
  assert.ok((await w.state(path)).open);
  await p.click('#views >> text=Later');
  await shown(p, 'First?');
  clean(p);
});

triage('the list keeps its place, and the open row stays visible', async w => {
  await w.tell('asks 40');
  const p = await w.person('ann', { viewport: { width: 1280, height: 700 } });
  await p.waitForFunction(() => document.querySelectorAll('#asks li[id]').length === 40);
  await p.locator('#asks li').nth(37).scrollIntoViewIfNeeded();
  const before = await p.evaluate(() => document.querySelector('#nav').scrollTop);
  assert.ok(before > 500);
  await p.locator('#asks li > a').nth(37).click();
  await p.waitForSelector('#form');
  const after = await p.evaluate(() => {
    const nav = document.querySelector('#nav'), r = document.querySelector('#asks a[aria-current]').getBoundingClientRect(), n = nav.getBoundingClientRect();
    return { top: nav.scrollTop, seen: r.top >= n.top - 1 && r.bottom <= n.bottom + 1 };
  });
  assert.ok(Math.abs(after.top - before) < 100, `it was at ${before} and is at ${after.top}`);
  assert.ok(after.seen);
});

triage('identical questions are answered together, each with its own record', async w => {
  const paths = [];
  for (let i = 0; i < 3; i++) paths.push(await w.put(choice('Which license?', 'MIT', 'Apache-2.0')));
  const p = await w.person();
  await p.keyboard.press('Enter');
  await p.waitForSelector('#form');
  await p.keyboard.press('b');
  await p.waitForSelector('#batch');
  assert.equal(await p.locator('.batch li').count(), 3);
  await accessible(p, p.url());
  await p.click('text=Apache-2.0');
  await p.click('text=Send 3 answers');
  await p.waitForSelector('#batch-done');
  for (const path of paths) await until('it is stored', async () => (await w.state(path)).outcome?.answers[0].selected[0] === 'o2');
  clean(p);
});

triage('a closed question is asked again with one key, and the new one opens', async w => {
  const path = await w.put(choice('Which region?', 'North', 'South'));
  await w.tell('close ' + path + ' North');
  const p = await w.person();
  await p.goto(w.base + path);
  await p.waitForSelector('#again');
  await p.keyboard.press('o');
  await p.waitForSelector('#form');
  assert.notEqual(new URL(p.url()).pathname, path);
  await shown(p, 'You asked this again');
  assert.ok(!(await w.state(path)).open, 'the first is open again');
  clean(p);
});

triage('a search without hits says so, and how many wait', async w => {
  await w.put(choice('First?', 'Red', 'Blue'));
  const p = await w.person();
  await p.keyboard.press('/');
  await p.keyboard.type('zebra');
  await p.keyboard.press('Enter');
  await shown(p, 'Nothing found. 1 question waits.');
  await p.keyboard.press('?');
  assert.ok(await p.isVisible('#keys'));
  clean(p);
});

test('axe finds nothing on the pages of triage', () => within(async w => {
  const path = await w.put(choice('First?', 'Red', 'Blue'));
  await w.put(choice('Second?', 'Up', 'Down'));
  for (const colorScheme of ['light', 'dark']) for (const width of [1440, 768, 390, 320]) {
    const p = await w.person('ann', { colorScheme, viewport: { width, height: 800 } });
    for (const to of ['/', '/?view=history', '/?select=1&group=1', '/settings', path + '?view=waiting']) await accessible(p, w.base + to);
    await p.close();
  }
}, grace));

triage('on its own page, too, an answer that is held says how long it still is', async w => {
  const p = await w.person();
  await p.goto(w.base + await w.put(choice('Which port?', '8080', '9090')));
  await p.click('.card >> text=8080');
  await p.waitForFunction(() => /in 1[5-7] s/.test(document.querySelector('#closed .when')?.textContent));
  clean(p);
}, { ...grace, SAYSO_DEMO_GRACE: '20' });

triage('a row marks what the agent says it is as a claim, in one line', async w => {
  await w.tell('put ' + JSON.stringify({ questions: [{ text: 'Which port?' }], origin: { host: 'codex', workspace: 'payments-api', branch: 'main' } }));
  const p = await w.person();
  const seen = async width => {
    await p.setViewportSize({ width, height: 700 });
    return p.evaluate(() => {
      const box = s => document.querySelector('#asks ' + s).getBoundingClientRect(), claim = box('.claim'), says = box('.says'), self = box('.self');
      const within = b => b.top >= claim.top - 1 && b.bottom <= claim.bottom + 1;
      return [within(says), within(self), claim.height <= box('time').height + 1];
    });
  };
  assert.deepEqual(await seen(1280), [true, true, true]);
  assert.deepEqual(await seen(320), [false, true, true]);
});

triage('from right to left, what is typed is not turned round', async w => {
  const path = await w.tell('approve shell'), p = await w.person('ann', { locale: 'ar' });
  await p.goto(w.base + path);
  assert.equal(await p.getAttribute('html', 'dir'), 'rtl');
  for (const [what, want] of [['.facts code', 'ltr'], ['.part pre', 'ltr'], ['kbd', 'ltr'], ['.search [type=search]', 'rtl']]) {
    assert.equal(await p.locator(what).first().evaluate(e => getComputedStyle(e).direction), want, what);
  }
});
