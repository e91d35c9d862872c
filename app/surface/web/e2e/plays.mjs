// What is played in a schedule, and what must be so at its end.
import assert from 'node:assert/strict';
import { choosing, held, pressing, questions, settled, texts, typing } from './schedule.mjs';

const areas = ['t0', 'n0', 't1', 'n1', 't2'];
const cards = [['q0', 'option:o1'], ['q0', 'option:o2'], ['q0', 'option:o3'], ['q0', 'own'], ['q1', 'option:o1'], ['q1', 'option:o2'], ['q1', 'own']];
const buttons = ['.bar [value=send]', '.bar [value=send]', '.bar [value=partial]', '.confirm button', '.bar [value=decline]', '.undo button', '#queued button'];

// loses: a person answers, in one tab or two, while the network is cut, the session
// ends, the hub is killed and the page is loaded again. At the end every text that was
// typed is on the page, in the draft or in an answer.
export async function loses({ w, context, cookies, r, log }) {
  const path = await w.put(...questions), url = w.base + path;
  const typed = [];
  let offline = false, dead = false, out = false;
  const reach = () => !offline && !dead && !out;
  const load = async p => { await p.goto(url).catch(() => {}); };
  const tabs = [await context.newPage()];
  await load(tabs[0]);
  for (let step = 0, steps = 6 + r.upTo(8); step < steps; step++) {
    const p = r.pick(tabs);
    const doing = r.upTo(20);
    if (doing < 9) {
      const name = r.pick(areas), text = `w${step}. `;
      if (await typing(p, name, text)) typed.push(text);
      log(`${tabs.indexOf(p)} types ${text}into ${name}`);
    } else if (doing < 11) {
      const card = r.pick(cards);
      log(`${tabs.indexOf(p)} chooses ${card} ${await choosing(p, ...card)}`);
    } else if (doing < 15) {
      const button = r.pick(buttons);
      const waits = r.chance(0.7), pressed = await pressing(p, button);
      log(`${tabs.indexOf(p)} presses ${button} ${pressed}`);
      if (pressed && waits) await settled(p);
    } else if (doing === 15) {
      await context.setOffline(offline = !offline);
      log(offline ? 'the network is cut' : 'the network is back');
    } else if (doing === 16) {
      out = !out;
      if (out) await context.clearCookies();
      else await context.addCookies(cookies);
      log(out ? 'the session ends' : 'signed in again');
    } else if (doing === 17) {
      dead = !dead;
      await w.tell(dead ? 'kill' : 'revive');
      log(dead ? 'the hub is killed' : 'the hub is back');
    } else if (doing === 18) {
      if (tabs.length === 1) {
        tabs.push(await context.newPage());
        await load(tabs[1]);
        log('a second tab');
      } else {
        await tabs.pop().close();
        log('the second tab is closed');
      }
    } else {
      log(`${tabs.indexOf(p)} is loaded again${reach() ? '' : ', in vain'}`);
      await load(p);
    }
  }
  log('everything is mended');
  if (dead) await w.tell('revive');
  await context.setOffline(false);
  await context.addCookies(cookies);
  for (const p of tabs) { // one that could not be loaded shows nothing yet
    if (await p.locator('#ask').count()) await settled(p);
    else await load(p);
  }
  const everything = async pages => (await Promise.all(pages.map(texts))).flat().concat(held(await w.state(path)));
  const check = async (pages, when) => {
    const all = await everything(pages);
    for (const text of typed) assert.ok(all.some(t => t.includes(text)), `${when}: ${text}is lost; there is ${JSON.stringify(all)}`);
  };
  if (tabs.length === 2) {
    await check(tabs, 'in two tabs');
    await tabs.pop().close();
  }
  await load(tabs[0]);
  await tabs[0].waitForSelector('#ask');
  await check(tabs, 'after loading again');
}

// undoes: a person edits, sends and undoes, in one tab or beside a second one, while
// drafts of before are on their way, and come late and in any order. What is stored is
// what the form had when it was sent, and after every undo the form has that again.
export async function undoes({ w, context, cookies, r, network, log }) {
  const path = await w.put(...questions), url = w.base + path;
  const late = await latecomers(context, cookies, network, log);
  const a = await context.newPage();
  await a.goto(url);
  const tabs = [[a, 'a']];
  if (r.chance(0.4)) {
    const b = await context.newPage();
    await b.goto(url);
    tabs.push([b, 'b']);
  }
  const edit = async (p, tag) => {
    for (let i = r.upTo(4); i >= 0; i--) {
      const words = r.chance(0.5), name = r.pick(areas), card = r.pick(cards), some = r.chance(0.3);
      if (words) log(`${tag} types into ${name} ${await typing(p, name, `${tag}${i} `)}`);
      else log(`${tag} chooses ${card} ${await choosing(p, ...card)}`);
      if (some) await late.some();
    }
  };
  for (let round = 0; round < 2; round++) {
    for (const [p, tag] of tabs) await edit(p, tag);
    await a.evaluate(complete);
    if (r.chance(0.5)) await late.some();
    const sent = await shows(a);
    log(`sends ${JSON.stringify(sent)}`);
    assert.ok(await pressing(a, '.bar [value=send]'));
    await a.waitForSelector('.undo button, .confirm button');
    if (await a.locator('.confirm button').count()) {
      assert.deepEqual(await shows(a), sent, 'when it is to be confirmed');
      await pressing(a, '.confirm button');
      await a.waitForSelector('.undo button');
    }
    await late.some();
    const { outcome } = await w.state(path);
    assert.deepEqual(stored(outcome.answers), sent, 'stored is what was sent');
    assert.ok(await pressing(a, '.undo button'));
    await a.waitForSelector('#form');
    log('undone');
    assert.deepEqual(await shows(a), sent, 'after the undo');
    await late.some(r.chance(0.5));
    if (tabs.length === 2) await tabs.pop()[0].close(); // what it has is no part of the answer
    await a.goto(url);
    const words = Object.values(await shows(a));
    for (const [i, was] of Object.values(sent).entries()) {
      assert.deepEqual(words[i].selected, was.selected, 'after loading again');
      for (const text of ['other', 'note']) assert.ok(words[i][text].startsWith(was[text]), `after loading again: ${JSON.stringify(words[i])}`);
    }
  }
  await late.some(true);
}

// latecomers holds drafts on their way to the hub, and lets them come when it is told.
async function latecomers(context, cookies, network, log) {
  const late = [], cookie = cookies.map(c => `${c.name}=${c.value}`).join('; ');
  let count = 0;
  // It comes to the hub whatever the page has done since.
  const deliver = async ({ route, url, body, headers, n }) => {
    const reply = await fetch(url, { method: 'POST', body, headers });
    log(`late request ${n} comes: ${reply.status}`);
    await route.fulfill({ status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() }).catch(() => {});
  };
  await context.route(u => u.pathname.endsWith('/draft'), async route => {
    if (network.chance(0.4)) return route.continue().catch(() => {});
    const n = ++count, request = route.request(), headers = { ...await request.allHeaders(), cookie };
    late.push({ route, url: request.url(), body: request.postData(), headers, n });
    log(`request ${n} is held`);
  });
  return { async some(all) { while (late.length && (all || network.chance(0.5))) await deliver(late.splice(network.upTo(late.length), 1)[0]); } };
}

// shows is what the form of a page has, by question.
const shows = p => p.evaluate(() => Object.fromEntries([...document.querySelectorAll('#form fieldset')].map((f, i) => [`q${i + 1}`, {
  selected: [...f.querySelectorAll('input:checked')].map(c => c.value).filter(v => v !== 'own').map(v => v.slice(7)),
  other: f.querySelector(`[name=t${i}]`).value, note: f.querySelector(`[name=n${i}]`)?.value ?? '',
}])));
const stored = answers => Object.fromEntries(answers.map(x => [x.questionId, { selected: x.selected ?? [], other: x.other ?? '', note: x.note ?? '' }]));

// complete fills in, on the page, what is missing, and clears what stands in the way.
const complete = () => {
  const form = document.querySelector('#form');
  const own = form.querySelector('[name=t0]');
  if (form.querySelector('[name=q0]:checked:not([value=own])')) own.value = '';
  else if (!own.value.trim()) form.querySelector('[value="option:o2"]').click();
  const words = form.querySelector('[name=t1]');
  form.querySelector('[name=q1][value=own]').checked = words.value.trim() !== '';
  if (!form.querySelector('[name=q1]:checked')) form.querySelector('[name=q1]').click();
  const name = form.querySelector('[name=t2]');
  if (!name.value.trim()) name.value = 'a name';
  name.dispatchEvent(new Event('input', { bubbles: true }));
};
