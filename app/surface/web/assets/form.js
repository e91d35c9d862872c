// What becomes of a form: what is typed is kept, here until the hub has it, and the
// form is sent without leaving the page, so that a failure loses nothing.
const detail = $('#detail');
const page = crypto.getRandomValues(new Uint32Array(3)).join('-'); // names this tab
const patience = 20_000; // ms until a request without a reply has failed
const keepFor = 30 * 24 * 3600_000; // ms for which this browser keeps a text

// The browser's own store, by person and ask. It may be full, or forbidden: then
// texts are kept as long as the page is open.
const store = {
  spare: new Map(),
  get(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return this.spare.get(key) ?? null; } },
  set(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch { this.spare.set(key, value); } },
  remove(key) { this.spare.delete(key); try { localStorage.removeItem(key); } catch {} },
  keys(prefix) {
    let all = [...this.spare.keys()];
    try { all = all.concat(Object.keys(localStorage)); } catch {}
    return all.filter(k => k.startsWith(prefix));
  },
};
const place = kind => `sayso ${kind} ${JSON.stringify([$('#ask').dataset.who, $('#ask').dataset.ask])} `;
const ownRecord = () => place('form') + page;

// controls are what a person fills in. No secret is kept.
const controls = form => [...form.querySelectorAll('textarea[name], input[type=radio], input[type=checkbox]')];
const ticks = c => c.type === 'radio' || c.type === 'checkbox';
const fields = (form, first) => controls(form)
  .filter(c => !ticks(c) || (first ? c.defaultChecked : c.checked))
  .map(c => [c.name, ticks(c) ? c.value : first ? c.defaultValue : c.value])
  .filter(([, value]) => value !== '');
const areas = form => [...form.querySelectorAll('textarea[name]:not(.edit, .aside)')]; // what can be changed is no text of the person
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const changed = form => !same(fields(form), fields(form, true));
const hidden = (form, name) => form.elements.namedItem(name);

// texts are what a person may want to copy: words and notes, and the labels of what
// is chosen.
function texts(form) {
  const words = areas(form).map(t => t.value);
  const labels = [...form.querySelectorAll('.card:not(.own) input:checked')].map(c => $('.label', c.closest('.card')).textContent);
  return { words: words.filter(w => w.trim()), labels };
}

// --- what is kept in this browser ---

// record keeps the form as it is, until the hub has it.
function record(form) {
  store.set(ownRecord(), { at: Date.now(), life: hidden(form, 'life').value, base: hidden(form, 'base').value, fields: fields(form), texts: texts(form) });
}

// leftOver keeps texts that are in no form any more, and shows them. Each has a key of
// its own: two tabs that keep one at once keep both.
function leftOver(more) {
  const key = place('text'), view = $('#ask'), form = $('#form'), kept = store.keys(key).map(k => k.slice(key.length));
  const shown = form ? areas(form).map(t => t.value) : JSON.parse(view.dataset.sent ?? '[]');
  const labels = form ? [...form.querySelectorAll('.label')].map(l => l.textContent) : [];
  const server = [...view.querySelectorAll('.unsent textarea')].map(t => t.value);
  let all = [...kept, ...server, ...more].filter(t => !shown.some(s => s.includes(t)) && !labels.includes(t));
  all = all.filter((t, i) => !all.some((s, j) => s.includes(t) && (s !== t || j < i)));
  for (const t of kept) if (!all.includes(t)) store.remove(key + t);
  for (const t of all) store.set(key + t, { at: Date.now() });
  $('.unsent', view)?.remove();
  if (!all.length) return;
  const add = (parent, tag, set) => parent.appendChild(Object.assign(document.createElement(tag), set));
  const box = add(view, 'section', { className: 'unsent' });
  add(box, 'h2', { textContent: W.youTyped });
  add(box, 'p', { className: 'hint', textContent: W.keptHere });
  for (const text of all) add(box, 'textarea', { readOnly: true, rows: 3, value: text, ariaLabel: W.notSent, dir: 'auto' });
  add(box, 'button', { type: 'button', textContent: W.discard, onclick() { for (const t of all) store.remove(key + t); box.remove(); $('#main').focus(); } });
}

// adopt takes up the form of this page.
function adopt() {
  const form = $('#form');
  if (!form) return;
  watch(form);
  for (const c of form.querySelectorAll('.card:not(.own) input:checked')) preview(c);
  if (changed(form) && !store.get(outKey($('#ask').dataset.ask))) later(form);
}

// recover puts what was typed before and is not at the hub, here or in another tab,
// into the form of a page that was just opened, or beside it, and never into one that
// the person has seen.
function recover() {
  for (const key of store.keys('sayso ')) if (!(store.get(key)?.at > Date.now() - keepFor)) store.remove(key);
  const form = $('#form');
  const records = store.keys(place('form')).map(key => {
    const r = store.get(key);
    store.remove(key);
    return r;
  }).filter(Boolean).sort((a, b) => b.at - a.at);
  const newest = form && !$('#picked') && records.find(r => fits(r, form));
  if (newest) fill(form, newest.fields);
  const waits = resume();
  leftOver([...waits, ...records.flatMap(r => form ? r.texts.words : [...r.texts.words, ...r.texts.labels])]);
  adopt();
}

// fits says whether a record may take the place of what the form begins with: nothing
// of that may be lost. A record of before an undo never does.
function fits(r, form) {
  if (r.life !== hidden(form, 'life').value) return false;
  const has = Object.fromEntries(r.fields.filter(([name]) => /^[tn]/.test(name)));
  return r.base === hidden(form, 'base').value ||
    areas(form).every(t => (has[t.name] ?? '').includes(t.value));
}

function fill(form, to) {
  for (const c of controls(form)) {
    if (ticks(c)) c.checked = to.some(([name, value]) => name === c.name && value === c.value);
    else c.value = to.find(([name]) => name === c.name)?.[1] ?? (c.matches('.edit') ? c.value : '');
    if (c.value && c.closest('details.add')) c.closest('details').open = true;
  }
}

// --- drafts, on the hub ---

let timer, saving, sending;
const say = words => $('#saved')?.replaceChildren(words);

function later(form, ms = 400) {
  record(form);
  clearTimeout(timer);
  timer = setTimeout(save, ms);
}

// post sends a form, and gives up after a while.
async function post(url, body, control = new AbortController()) {
  const end = setTimeout(() => control.abort(), patience);
  try {
    const r = await fetch(url, { method: 'POST', body, headers: { 'Sayso-Part': 'ask' }, signal: control.signal });
    out(r.status === 401);
    return r;
  } finally { clearTimeout(end); }
}

async function save() {
  const form = $('#form');
  if (!form || sending) return;
  if (saving) { timer = setTimeout(save, 100); return; } // one after the other
  const was = fields(form), control = saving = new AbortController();
  let r, reply;
  try {
    r = await post(`/ask/${$('#ask').dataset.ask}/draft`, new URLSearchParams(new FormData(form)), control);
    reply = r.ok || r.status === 409 ? await r.json() : {};
  } catch {
    r = { status: 0 };
  } finally {
    if (saving === control) saving = null;
  }
  if (sending || $('#form') !== form) return;
  if (r.ok) {
    hidden(form, 'base').value = reply.version;
    for (const n of reply.named ?? []) takeNamed(form, n, was);
    if (same(fields(form), was)) { store.remove(ownRecord()); say(W.draftSaved); } else record(form);
  } else if (reply?.stale) {
    refresh();
  } else if (r.status === 409) {
    leftOver(reply.unknown);
    hidden(form, 'base').value = reply.version;
    later(form, 0);
  } else if (r.status === 401) {
    say(W.draftSignedOut);
  } else {
    say(r.status ? W.draftFailed : W.draftOffline);
    later(form, 5000);
  }
}
for (const back of ['online', 'focus']) addEventListener(back, () => { if ($('#form') && changed($('#form')) && store.get(ownRecord())) save(); });

// --- filling in ---

on('input', e => {
  const form = e.target.closest('#form');
  if (!form) return;
  const own = e.target.closest('.card.own');
  if (own && e.target.matches('textarea')) {
    dropNamed(own);
    const tick = $('input', own); // options that are buttons have none
    if (tick) tick.checked = e.target.value.trim() !== '';
  }
  if (e.target.checked) preview(e.target);
  later(form);
});

// preview opens that of an option that is chosen: it is a part of the answer.
function preview(c) {
  const p = $('details.preview', c.closest('.card'));
  if (p) p.open = true;
}

// takeNamed chooses the option that own words name, as the hub reads them, and says so.
function takeNamed(form, n, was) {
  const area = hidden(form, 't' + n.question), own = area.closest('.card');
  if (area.value !== was.find(([key]) => key === area.name)?.[1]) return; // they have changed since
  const c = [...form.querySelectorAll(`input[name=q${n.question}]`)].find(c => c.value === n.value);
  if (!c || c.checked) return;
  c.checked = true;
  own.named = c;
  $('input', own).checked = false;
  $('.named', own).textContent = n.words;
  preview(c);
  later(form);
}

// dropNamed takes that back when the words go on.
function dropNamed(own) {
  if (own.named) own.named.checked = false;
  own.named = null;
  $('.named', own).textContent = '';
}

// --- what was on the screen ---

// seen numbers the ends that were. An ask never changes: they hold for its next form.
const seen = new Set();
const look = all => all.forEach(e => e.isIntersecting && seen.add(e.target.number));
let eyes;
function watch(form) {
  const bar = $('.bar', form), covered = bar && getComputedStyle(bar).position === 'sticky' ? bar.offsetHeight : 0;
  eyes = new IntersectionObserver(look, { rootMargin: `0px 0px -${covered}px 0px` });
  form.querySelectorAll('fieldset > .md, .part, .card > label > :last-child, .card > button > :last-child, .preview > .md').forEach((e, number) => {
    eyes.observe(e.appendChild(Object.assign(document.createElement('span'), { className: 'end', number })));
  });
}

// unread leads the person to what they have not seen of the questions, or of the
// preview of an option they have chosen.
function unread(form) {
  $('#unread')?.remove();
  look(eyes.takeRecords()); // not reported yet
  const end = [...form.querySelectorAll('.end')].find(e => !seen.has(e.number) && (!e.closest('.preview') || $('input', e.closest('.card')).checked));
  if (!end) return false;
  if (end.closest('.preview')) end.closest('.preview').open = true;
  const note = Object.assign(document.createElement('p'), { id: 'unread', className: 'note err', tabIndex: -1, role: 'alert', textContent: W.unread });
  (end.closest('label, button') ?? end.parentElement).after(note);
  note.focus({ preventScroll: true });
  note.scrollIntoView({ block: 'center' });
  return true;
}

// decides says whether a button gives an answer, which takes reading; later and decline do not.
const decides = b => /^(send|partial|tap|reuse|amend)\b/.test(b?.value ?? 'send');

// denies says whether the form denies something, which takes no reading.
const denies = form => $('[data-deny]', form) && !$('input:checked:not([data-deny])', form);

// --- sending ---

on('submit', e => {
  if (!detail?.contains(e.target)) return;
  e.preventDefault();
  sendForm(e.target, e.submitter);
});

// sendForm sends a form of the ask with the button that was pressed, and returns what
// became of it:
//   'sent'    the hub has it: the page shows that
//   'refused' the hub has not taken it: the page says why
//   'unread'  it was not sent: something of it was not on the screen yet
//   'waiting' the hub cannot be reached: it is sent when it can
//   'failed'  it was not sent, or it is not known: the page says so
// Only after 'sent' may a page go on to something else.
async function sendForm(form, b) {
  const answers = form.id === 'form';
  if (sending) return 'failed';
  if (answers && decides(b) && !denies(form) && unread(form)) return 'unread';
  const body = new URLSearchParams(new FormData(form));
  if (b?.name) body.append(b.name, b.value);
  clearTimeout(timer);
  saving?.abort(); // a draft must not come after the answer
  sending = true;
  still(form, true);
  say(W.sending);
  let words = W.noReply, keeps = true;
  try {
    const r = await post(form.action, body), text = await r.text();
    keeps = r.status >= 500 || r.status === 429;
    if (r.headers.get('Sayso-Part') && !(answers && keeps)) {
      sending = false;
      settle(text, r.status);
      return r.ok ? 'sent' : 'refused';
    }
    words = { 401: W.sendSignedOut, 404: W.sendGone, 413: W.sendTooLong }[r.status] ?? W.unsure;
  } catch {}
  sending = false;
  say('');
  if (answers && keeps && queue(form, body)) {
    $('#queued')?.focus();
    refresh();
    return 'waiting';
  }
  still(form, false);
  if (answers) later(form, 5000);
  fail(form, words);
  refresh(); // it may have changed meanwhile
  return 'failed';
}

// settle shows what the hub says of a form, and leads to the first that matters.
function settle(html, status) {
  const answered = $('#form');
  replace(html);
  if (answered && $('#form')) later($('#form')); // it was refused, and the hub may not have it as a draft
  const first = $('#problems') ?? $('#confirm') ?? $('#notice') ?? $('#closed') ?? $('#main');
  first.focus();
  if (status < 300) document.dispatchEvent(new CustomEvent('sayso:sent', { detail: $('#ask')?.dataset }));
}

// still keeps the form as it was sent until it is known what became of it.
function still(form, on) { for (const e of form.querySelectorAll('fieldset, button')) e.inert = on; }

// fail says above the buttons why a form was not sent.
function fail(form, words) {
  $('#failed')?.remove();
  const note = Object.assign(document.createElement('div'), { id: 'failed', className: 'note err', tabIndex: -1, role: 'alert', textContent: words });
  form.insertBefore(note, $('.bar', form) ?? form.firstChild);
  note.focus();
}

// --- the ask as it is now ---

// replace shows another view of the ask. What was typed stays: in it, or beside it.
function replace(html) {
  const form = $('#form'), inside = detail.contains(document.activeElement);
  const had = form ? texts(form) : { words: [], labels: [] };
  clearTimeout(timer);
  saving?.abort();
  store.remove(ownRecord());
  detail.innerHTML = policy.createHTML(html);
  const waits = resume();
  leftOver($('#form') ? [...waits, ...had.words] : [...waits, ...had.words, ...had.labels]);
  adopt();
  showWaiting();
  if (inside) ($('#closed') ?? $('#main')).focus();
}

// arrived shows the ask as the hub has it, if this page shows another state of it.
function arrived(html) {
  if ($('#ask') && !sending && /data-state="([^"]*)"/.exec(html)?.[1] !== $('#ask').dataset.state) replace(html);
}

// refresh asks for it.
async function refresh() {
  const view = $('#ask');
  try {
    const r = await fetch('/ask/' + view.dataset.ask, { headers: { 'Sayso-Part': 'ask' } }), text = await r.text();
    if (r.headers.get('Sayso-Part') && view === $('#ask')) arrived(text);
  } catch {} // the connection comes back, and with it the ask
}
