// Random schedules: what a person does on the page of an ask, and what happens to the
// page, the network and the hub meanwhile. A schedule is a seed, so it can be repeated:
// SAYSO_SEED=… SAYSO_ONLY=… as a failure says.
import assert from 'node:assert/strict';
import { world } from './world.mjs';

// random returns numbers that follow from the seed.
export function random(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return { upTo: n => Math.floor(next() * n), pick: list => list[Math.floor(next() * list.length)], chance: p => next() < p };
}

// What a page does after a while comes sooner: drafts, repeats, a new connection. It
// waits for replies as long as ever.
const hurry = () => {
  const real = setTimeout;
  window.setTimeout = (fn, ms, ...args) => real(fn, ms > 10_000 ? ms : ms / 20, ...args);
};

// schedules plays as many schedules as it is told, two at a time. play gets a world, a
// browser that is signed in to it, and sources of random numbers. It stops at the first
// schedule that fails and says how to repeat it.
export async function schedules(figure, unit, n, play) {
  const seed = Number(process.env.SAYSO_SEED ?? (process.env.SAYSO_LONG ? Date.now() % 1e9 : 1));
  const only = process.env.SAYSO_ONLY;
  const left = only ? [Number(only)] : Array.from({ length: n }, (_, i) => i);
  let failed, played = 0;
  const worker = async () => {
    const w = await world();
    try {
      const p = await w.person('ann');
      const context = p.context();
      await context.addInitScript(hurry);
      context.setDefaultTimeout(30_000);
      const cookies = await context.cookies();
      await p.evaluate(() => navigator.serviceWorker.ready);
      await p.close();
      while (left.length && !failed) {
        const i = left.shift(), log = [];
        try {
          await play({ w, context, cookies, r: random(seed * 1009 + i), network: random(seed * 2003 + i), log: line => log.push(line) });
          played++;
        } catch (e) {
          for (const page of context.pages()) log.push(`page: ${await page.innerText('main').catch(String)}`);
          failed ??= new Error(`schedule ${i} failed; repeat it with SAYSO_SEED=${seed} SAYSO_ONLY=${i}\n${log.join('\n')}\n${e.stack}`);
        }
        for (const page of context.pages()) await page.close();
        await context.unrouteAll({ behavior: 'ignoreErrors' });
      }
    } finally { await w.end(); }
  };
  await Promise.all([worker(), worker()]);
  if (failed) throw failed;
  assert.equal(played, only ? 1 : n);
  console.log(`FIGURE ${figure} 0 ${unit}/${played}`);
}

// questions has every kind of question there is.
export const questions = [
  { header: 'Database', text: 'Which database?', options: [{ label: 'PostgreSQL', preview: 'image: postgres' }, { label: 'SQLite' }, { label: 'Drop it', danger: true }] },
  { header: 'Features', text: 'Which features?', multi: true, options: [{ label: 'Auth' }, { label: 'Search' }] },
  { header: 'Name', text: 'What name?' },
];

// typing puts a text behind what is in a field, as a person at the keyboard does. It
// returns false if there is no such field now, or it does not take anything.
export const typing = (page, name, text) => page.evaluate(([name, text]) => {
  const area = document.querySelector(`#form textarea[name=${name}]`);
  if (!area || area.closest('[inert]')) return false;
  area.value += text;
  area.dispatchEvent(new Event('input', { bubbles: true }));
  return true;
}, [name, text]);

// choosing ticks or unticks a card.
export const choosing = (page, name, value) => page.evaluate(([name, value]) => {
  const card = document.querySelector(`#form input[name=${name}][value="${value}"]`);
  if (!card || card.closest('[inert]')) return false;
  card.click();
  return true;
}, [name, value]);

// pressing presses a button, having looked at everything; false: there is none.
export const pressing = (page, button) => page.evaluate(button => {
  for (const e of document.querySelectorAll('.end')) seen.add(e.number);
  const b = document.querySelector(button);
  if (!b || b.closest('[inert]')) return false;
  b.click();
  return true;
}, button);

// settled waits until nothing is being sent. What waits for the hub is not.
export const settled = page => page.waitForFunction(() => document.querySelector('#queued') || !document.querySelector('#form [inert], .undo [inert]'));

// texts are all texts of the person on the page, in the form and beside it.
export const texts = page => page.evaluate(() => [...document.querySelectorAll('#detail textarea')].map(t => t.value).concat(document.querySelector('.answers')?.innerText ?? ''));

// held are all texts that the hub has: drafts and answers, also those undone.
export function held(state) {
  const all = [state.draft, state.outcome, ...(state.history ?? []).map(e => e.outcome)];
  return all.flatMap(o => (o?.answers ?? []).flatMap(a => [a.other ?? '', a.note ?? '']));
}
