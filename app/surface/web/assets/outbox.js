// Answers that wait to be sent. A form that finds no hub is kept in this browser with
// what it answers, and sent when the hub is back, by whichever page is open then. It is
// bound to the ask's digest and to the time since its last undo, so that a repeat is the
// same answer. After a while, or after signing in anew, the person is asked first.

const forgets = 10 * 60_000; // ms after which a person may not think of it any more
const me = () => document.body.dataset.who ?? $('#ask')?.dataset.who;
const outKey = ask => `sayso out ${JSON.stringify([me(), ask])}`;
const waitingAll = () => me() === undefined ? [] : store.keys('sayso out ' + JSON.stringify([me()]).slice(0, -1)).map(k => store.get(k)).filter(Boolean).sort((a, b) => a.at - b.at);
const asks = item => item.asks || !(Date.now() - item.at >= -60_000 && Date.now() - item.at < forgets);

// queue keeps a form that could not be sent. It returns false if it may not be kept: no
// secret stays in the browser.
function queue(form, body) {
  if ($('[type=password]', form) || !detail.contains(form)) return false;
  const ask = $('#ask').dataset.ask, was = store.get(outKey(ask));
  store.set(outKey(ask), {
    at: was?.body === String(body) ? was.at : Date.now(), ask, action: form.getAttribute('action'), body: String(body),
    life: hidden(form, 'life').value, digest: hidden(form, 'digest').value, base: hidden(form, 'base').value,
    fields: fields(form), texts: texts(form), title: $('legend .text', form)?.textContent ?? asked ?? '',
  });
  store.remove(ownRecord());
  showWaiting();
  return true;
}

// unqueue puts what was typed back to where the form finds it.
function unqueue(item) {
  const form = $('#form');
  store.remove(outKey(item.ask));
  if (form && $('#ask').dataset.ask === item.ask) {
    atRest(form);
    later(form);
    controls(form)[0]?.focus();
  } else putBack(item);
  showWaiting();
}
const putBack = item => store.set(`sayso form ${JSON.stringify([me(), item.ask])} ${page}`, { at: Date.now(), life: item.life, base: item.base, fields: item.fields, texts: item.texts });

// deliver sends what waits, and returns whether it is settled.
async function deliver(item) {
  let r, html;
  try {
    r = await post(item.action, new URLSearchParams(item.body));
    html = await r.text();
  } catch { return false; }
  if (r.status === 401) { store.set(outKey(item.ask), { ...item, asks: true }); return false; }
  if (r.status >= 500 || r.status === 429) return false;
  if (!store.get(outKey(item.ask))) return true; // it was cancelled meanwhile, and may be sent all the same
  store.remove(outKey(item.ask));
  const here = $('#ask')?.dataset.ask === item.ask;
  if (!here) {
    told.set(item.ask, { item, words: r.ok ? W.sent : r.status === 422 ? W.oneMoreStep : W.notTaken });
    if (r.status === 422) putBack(item);
    else if (!r.ok) for (const t of [...item.texts.words, ...item.texts.labels]) store.set(`sayso text ${JSON.stringify([me(), item.ask])} ${t}`, { at: Date.now() });
    return true;
  }
  if (r.headers.get('Sayso-Part')) settle(html, r.status);
  else if ($('#form')) {
    atRest($('#form'));
    later($('#form'));
    fail($('#form'), { 404: W.sendGone, 413: W.sendTooLong }[r.status] ?? W.unsure);
  }
  return true;
}

// flush tries everything that waits and need not be asked for; one page at a time.
let flushing = false;
async function flush() {
  if (flushing || sending || !waitingAll().length) return;
  flushing = true;
  const all = async () => {
    for (const item of waitingAll()) {
      if (asks(item)) continue;
      if (await deliver(item) === false) break; // the others would not come through either
    }
  };
  try {
    if (navigator.locks) await navigator.locks.request('sayso outbox', { ifAvailable: true }, lock => lock && all());
    else await all();
  } finally {
    flushing = false;
    showWaiting();
  }
}

// sendNow sends what the person was asked for.
function sendNow(item) {
  store.set(outKey(item.ask), { ...item, at: Date.now(), asks: false });
  showWaiting();
  flush();
}

// --- what is shown of it ---

const told = new Map(); // by ask: what became of it since this page was loaded

function showWaiting() {
  const all = waitingAll(), current = $('#ask')?.dataset.ask, form = $('#form');
  const own = form && all.find(i => i.ask === current);
  if (own) showOwn(form, own);
  else if ($('#queued')) {
    $('#queued').remove();
    if (form) atRest(form);
  }
  const others = all.filter(i => i.ask !== current), had = $('#outbox');
  const says = JSON.stringify([others.map(i => [i.ask, asks(i)]), [...told.keys()]]);
  if (had?.dataset.says === says) return; // a screen reader would say it again
  had?.remove();
  if (!others.length && !told.size) return;
  const box = make('section', { id: 'outbox', className: 'note', role: 'status' });
  box.dataset.says = says;
  for (const i of others) {
    const row = make('p', { textContent: `${asks(i) ? W.notSentYet : W.waitingToSend} ` });
    row.append(make('a', { href: '/ask/' + i.ask, textContent: i.title, dir: 'auto' }), ' ');
    if (asks(i)) row.append(make('button', { type: 'button', textContent: W.sendNow, onclick: () => sendNow(i) }), ' ');
    row.append(make('button', { type: 'button', textContent: W.cancelSend, onclick: () => unqueue(i) }));
    box.append(row);
  }
  for (const { item, words } of told.values()) {
    const row = make('p', { textContent: words + ' ' });
    row.append(make('a', { href: '/ask/' + item.ask, textContent: item.title, dir: 'auto' }));
    box.append(row);
  }
  $('.shell').before(box);
}
const make = (tag, set) => Object.assign(document.createElement(tag), set);

// showOwn keeps the form as it will be sent, and says that it was not.
function showOwn(form, item) {
  const words = asks(item) ? W.askFirst : W.waitingHere, had = $('#queued');
  if (had?.dataset.says === words) return;
  had?.remove();
  $('#failed')?.remove();
  still(form, true);
  $('.bar', form).hidden = true; // there is nothing else to do with it
  const note = make('div', { id: 'queued', className: 'note', tabIndex: -1, role: 'status' });
  note.dataset.says = words;
  note.append(make('strong', { textContent: asks(item) ? W.notSentYet : W.waitingToSend }), ' ', words, ' ');
  if (asks(item)) note.append(make('button', { type: 'button', className: 'go', textContent: W.sendNow, onclick: () => sendNow(item) }), ' ');
  note.append(make('button', { type: 'button', textContent: W.cancelSend, onclick: () => unqueue(item) }));
  form.insertBefore(note, $('.bar', form));
  if (had) note.focus();
}

// atRest lets the person go on with a form that waited.
function atRest(form) {
  $('#queued')?.remove();
  still(form, false);
  if ($('.bar', form)) $('.bar', form).hidden = false;
}

// resume fills the form of a page that was just opened with what waits, if it still is
// an answer to this; otherwise what was typed is left over.
function resume() {
  const view = $('#ask'), item = view && store.get(outKey(view.dataset.ask)), form = $('#form');
  if (!item) return [];
  if (form && item.life === hidden(form, 'life').value && item.digest === hidden(form, 'digest').value) {
    fill(form, item.fields);
    return [];
  }
  store.remove(outKey(item.ask));
  return [...item.texts.words, ...item.texts.labels];
}

on('sayso:state', e => { if (e.detail === 'live') flush(); });
for (const back of ['online', 'focus', 'pageshow']) addEventListener(back, () => flush());
addEventListener('storage', e => { if (e.key?.startsWith('sayso out ')) { showWaiting(); if ($('#ask')) refresh(); } });
setInterval(() => { if (waitingAll().length) flush(); }, 3000);

if ($('#ask')) recover();
showWaiting();
