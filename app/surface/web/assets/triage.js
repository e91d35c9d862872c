// Triage: the keys, the list that keeps its place, and the answers that can be undone.
// Everything here works without this file, with more taps.
const keyTable = JSON.parse(document.body.dataset.keys ?? '{}');
const listPane = $('#nav'), mainPane = $('#main');

// --- the place in the list ---

// The list keeps its position when a question opens, and the open row stays visible.
const spot = 'sayso list ' + (listPane?.dataset.list ?? '').replace(/\bask=[^&]*&?/, '').replace(/[?&]$/, '');
try { if (listPane) listPane.scrollTop = Number(sessionStorage.getItem(spot) ?? 0); } catch {}
const visible = row => row?.scrollIntoView({ block: 'nearest' });
const openRow = () => $('#asks a[aria-current]')?.closest('li');
if (listPane && listPane.offsetParent !== null) visible(openRow());
addEventListener('pagehide', () => { try { sessionStorage.setItem(spot, listPane?.scrollTop ?? 0); } catch {} });

const rows = () => [...document.querySelectorAll('#asks li[id]')];
const at = () => $('#asks li.at') ?? openRow();
function move(by) {
  const all = rows();
  if (!all.length) return;
  const now = all.indexOf(at()), to = all[Math.min(all.length - 1, Math.max(0, now < 0 ? 0 : now + by))];
  for (const r of all) r.classList.toggle('at', r === to);
  $(':scope > a', to).focus({ preventScroll: true });
  visible(to);
}

// --- the next question ---

// It opens by itself when the hub has the answer.
on('sayso:sent', e => { if (e.detail?.next) location.assign(e.detail.next); });

// --- the keys ---

const typing = e => e.target.matches('textarea, select, input:not([type=radio]):not([type=checkbox])') || e.target.isContentEditable;
const opened = id => {
  const d = $(id);
  if (!d) return false;
  d.open = true;
  $('textarea, select, button', d)?.focus();
  d.scrollIntoView({ block: 'nearest' });
  return true;
};
const press = s => { const b = $(s); b?.click(); return Boolean(b); };

const actions = {
  next: () => move(1),
  previous: () => move(-1),
  open() {
    const a = $('#asks li.at > a') ?? ($('#form, #ask') ? null : $('#asks li[id] > a'));
    if (!a || document.activeElement?.closest('button, a, summary, label, input')) return false;
    a.click();
  },
  choose: e => choose(Number(e.key)),
  reuse: () => press('.reuse'),
  undo: () => press('#held .one button') || press('form.undo button[value=undo]'),
  later: () => opened('#later'),
  decline: () => opened('#decline'),
  delegate: () => opened('#delegate'),
  batch: () => press('#together') || press('#select') || press('.review button'),
  change() { const e = $('#e0')?.closest('details'); if (!e) return false; e.open = true; $('#e0').focus(); },
  amend: () => press('#amend'),
  again: () => press('#again'),
  search: () => { $('#search input[type=search]')?.focus(); },
  views() {
    const all = [...document.querySelectorAll('#views a')], now = all.findIndex(a => a.hasAttribute('aria-current'));
    all[(now + 1) % all.length]?.click();
  },
  filter: () => opened('#filters'),
  group: () => press('#group'),
  help() { $('#keys').showModal(); },
  back() {
    const open = document.querySelector('details.do[open], details.menu[open]');
    if (open) { open.open = false; $('summary', open).focus(); return; }
    const back = $('.back');
    if ($('.shell.detail') && back) back.click();
    else return false;
  },
};

// choose presses an option that is a button; options that are ticked are chosen by
// app.js. In an open menu it presses what stands there.
function choose(n) {
  const menu = $('#later[open]');
  if (menu) { menu.querySelectorAll('button')[n - 1]?.click(); return; }
  const b = document.querySelectorAll('#form .tap .card > button')[n - 1];
  const dangerous = document.querySelectorAll('#form fieldset:only-of-type .card input')[n - 1];
  if (dangerous && 'danger' in dangerous.dataset && onScreen(dangerous.closest('label'))) { dangerous.focus(); return; } // the space bar chooses it
  if (!b) return false;
  if (!onScreen(b)) { b.scrollIntoView({ block: 'center' }); return; }
  b.click();
}

on('keydown', e => {
  if (e.defaultPrevented || e.altKey || e.ctrlKey || e.metaKey || $('dialog[open]')) return;
  if (typing(e)) {
    if (e.key === 'Escape') { e.target.blur(); e.preventDefault(); }
    return;
  }
  if (e.repeat && !['next', 'previous'].includes(keyTable[e.key])) return;
  const action = /^[1-9]$/.test(e.key) ? 'choose' : keyTable[e.key];
  if (e.key.startsWith('Arrow') && (e.target.matches('input[type=radio]') || listPane?.contains(e.target) === false && e.target !== document.body)) return; // they move in what has the focus
  if (action && actions[action]?.(e) !== false) e.preventDefault();
});

const keysDialog = $('#keys'), showKeys = $('#show-keys');
if (keysDialog?.showModal) {
  showKeys?.removeAttribute('hidden');
  showKeys?.addEventListener('click', () => { $('#menu').open = false; keysDialog.showModal(); });
  $('.close', keysDialog).addEventListener('click', () => keysDialog.close());
}
// The menu closes when something else is used.
on('click', e => { const m = $('#menu[open]'); if (m && !m.contains(e.target)) m.open = false; });

// A question that is answered in words is ready to be typed into, where keys are used.
if (matchMedia('(hover: hover)').matches && !$('[autofocus]')) {
  const areas = document.querySelectorAll('#form fieldset > textarea');
  if (areas.length === 1 && !$('#form .card')) areas[0].focus({ preventScroll: true });
}
// Enter sends what is ticked, when no control has the focus that does something else with it.
on('keydown', e => {
  if (e.key !== 'Enter' || e.defaultPrevented || e.ctrlKey || e.metaKey || e.repeat) return;
  const form = $('#form');
  if (!form || !e.target.matches('body, main, input[type=radio], input[type=checkbox]')) return;
  if (!$('input:checked', form) || $('#confirm')) return; // what is dangerous is confirmed by its own button
  e.preventDefault();
  form.requestSubmit($('.bar button', form));
});

// --- answers that can be undone ---

// Each says how long it can be, and goes when it is sent.
let counting;
const plural = new Intl.PluralRules(document.documentElement.lang);
function countDown() {
  let left = 0;
  for (const e of document.querySelectorAll('[data-left]')) {
    e.until ??= performance.now() + Number(e.dataset.left);
    const ms = e.until - performance.now(), s = Math.ceil(ms / 1000), when = $('.when', e);
    if (ms > 0) {
      left++;
      const words = (W.sendsIn?.[plural.select(s)] ?? W.sendsIn?.other)?.replace('%d', s);
      if (when && words && when.textContent !== words) when.textContent = words;
    } else if (e.closest('#held')) { e.remove(); fewerHeld(); }
    else { e.remove(); if (typeof refresh === 'function') refresh(); }
  }
  const bar = $('#held');
  if (bar && !$('.one', bar)) bar.hidden = true;
  clearTimeout(counting);
  if (left) counting = setTimeout(countDown, 250);
}
countDown();
if ($('#detail')) new MutationObserver(countDown).observe($('#detail'), { childList: true }); // another view of the ask

// The newest is shown, and how many more there are.
function fewerHeld() {
  const bar = $('#held'), others = $('.others', bar);
  if (!others) return;
  const n = others.querySelectorAll('.one').length;
  if (!n) others.remove();
  else $('summary', others).textContent = $('summary', others).textContent.replace(/\d+/, n);
}
