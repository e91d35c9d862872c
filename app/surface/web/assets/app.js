// Progressive enhancement only: every form works without this file.
const $ = (s, e = document) => e.querySelector(s);
const on = (name, f) => document.addEventListener(name, f);

document.documentElement.classList.add('js');

// The words of the scripts, in the person's language.
const W = JSON.parse(document.body.dataset.words ?? '{}');

// The one policy of this site. HTML comes from our own server, which escapes it.
const policy = window.trustedTypes?.createPolicy('sayso', {
  createHTML: html => html,
  createScriptURL: u => { if (!['/sw.js', '/assets/live.js'].includes(u)) throw new TypeError(u); return u; },
}) ?? { createHTML: html => html, createScriptURL: u => u };
navigator.serviceWorker?.register(policy.createScriptURL('/sw.js')).catch(() => {});

// 1–9 choose in the question that has the focus, among the options that are on the
// screen; a dangerous option wants a click.
on('keydown', e => {
  if (e.target.matches('textarea, input:not([type=radio]):not([type=checkbox])')) {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && e.target.form?.id === 'form') e.target.form.requestSubmit();
    return;
  }
  if (e.altKey || e.ctrlKey || e.metaKey || !/^[1-9]$/.test(e.key)) return;
  const box = e.target.closest('fieldset') || $('fieldset');
  const input = box && box.querySelectorAll('.card input')[e.key - 1];
  if (!input || 'danger' in input.dataset || !onScreen(input.closest('label'))) return;
  input.focus();
  input.click();
  e.preventDefault();
});

// The bar with the buttons may cover the end of the page.
function onScreen(e) {
  const r = e.getBoundingClientRect(), end = Math.min(innerHeight, $('.bar')?.getBoundingClientRect().top ?? Infinity);
  return r.height > 0 && r.top >= 0 && r.bottom <= end;
}

// The title, the icon and an installed page's badge count what waits.
const asked = $('#detail') && document.title;
let waiting = Number($('#count')?.dataset.n);
function counted() {
  const c = $('#count');
  if (!c) return;
  const n = Number(c.dataset.n);
  document.title = asked ? (n ? `(${n}) ` : '') + asked : c.dataset.title + ' · sayso';
  $('link[rel=icon]').href = n ? '/assets/icon-waiting.svg' : '/assets/icon.svg';
  navigator.setAppBadge?.(n).catch(() => {});
  if (n > waiting && localStorage.getItem('sound')) beep();
  waiting = n;
}
counted();
new MutationObserver(counted).observe($('#nav') || document.body, { childList: true, subtree: true, attributes: true });

function beep() {
  const a = new AudioContext(), o = a.createOscillator(), g = a.createGain();
  o.frequency.value = 660;
  g.gain.setValueAtTime(0.1, a.currentTime);
  g.gain.exponentialRampToValueAtTime(0.001, a.currentTime + 0.4);
  o.connect(g).connect(a.destination);
  o.start();
  o.stop(a.currentTime + 0.4);
  o.onended = () => a.close();
}

const sound = $('#sound');
if (sound && window.AudioContext) {
  const show = () => sound.setAttribute('aria-pressed', Boolean(localStorage.getItem('sound')));
  sound.hidden = false;
  show();
  sound.addEventListener('click', () => {
    if (localStorage.getItem('sound')) localStorage.removeItem('sound');
    else { localStorage.setItem('sound', 'on'); beep(); }
    show();
  });
}

// An offline page is not live, whatever its connection says.
document.cookie = `sayso-zone=${Intl.DateTimeFormat().resolvedOptions().timeZone};path=/;max-age=31536000;samesite=lax`; // for the times on the next page
let connection = '';
const live = (words = connection) => {
  connection = words;
  const l = $('#live');
  if (l) l.textContent = navigator.onLine ? words : W.offline;
};
for (const change of ['online', 'offline']) addEventListener(change, () => live());
let port; // to the worker that all pages share: list.js

// out: the person is signed out.
// A page that finds out itself has the connection made again: all pages are to know,
// and it may be of a session before.
const out = (is, told) => {
  if (!told && is === $('#out').hidden) port?.postMessage('again');
  $('#out').hidden = !is;
  if (is) live(W.signedOut);
};

// Who is at a question is notified of it later.
let input = Date.now();
for (const name of ['keydown', 'pointermove', 'scroll']) addEventListener(name, () => { input = Date.now(); });
const attend = () => $('#form') && !document.hidden && Date.now() - input < 6e4 && fetch(`/ask/${$('#ask').dataset.ask}/attend`, { method: 'POST' }).catch(() => {});
if ('notify' in document.body.dataset) { attend(); setInterval(attend, 2e4); }

// A notification was clicked.
navigator.serviceWorker?.addEventListener('message', e => {
  const a = Object.assign(document.createElement('a'), { href: e.data.go, textContent: W.next }), form = $('#form');
  if (form && (changed(form) || $('[type=password]', form))) $('#live').replaceChildren(a);
  else a.click();
});
