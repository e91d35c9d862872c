// The list as it changes: the connection says when, and the list is changed where it
// differs, so that the focus, the selection, the scroll position and what is typed stay.

const nav = $('#nav');

// --- the connection ---

function connectLive() {
  if (!window.SharedWorker) return own();
  try {
    port = new SharedWorker(policy.createScriptURL('/assets/live.js'), 'sayso').port;
    port.onmessage = ({ data }) => heard(data);
  } catch { own(); }
}
function own() {
  const f = follow(heard);
  port = { postMessage(m) { if (m === 'bye') f.stop(); else f.look(m === 'again'); } };
}

function heard(m) {
  if (m.state) {
    out(m.state === 'out', true);
    if (m.state !== 'out') live({ live: W.live, down: W.reconnecting, full: W.full }[m.state]);
    document.dispatchEvent(new CustomEvent('sayso:state', { detail: m.state }));
    return;
  }
  refreshList();
  if ($('#ask') && (m.all || m.asks?.includes($('#ask').dataset.ask))) refresh();
}

// --- the list ---

// refreshList fetches the list and shows it; calls during a fetch are one more.
let fetching, again;
async function refreshList() {
  if (fetching) { again = true; return; }
  const from = listAddress();
  if (!from) return;
  fetching = true;
  try {
    const r = await fetch(from, { headers: { 'Sayso-Part': 'list' }, signal: AbortSignal.timeout(20_000) });
    out(r.status === 401);
    if (r.headers.get('Sayso-Part') === 'list') showList(await r.text());
  } catch {} // the connection comes back, and with it the list
  fetching = false;
  if (again) { again = false; refreshList(); }
}
const listAddress = () => nav?.dataset.list;

function showList(html) {
  const next = nav.cloneNode(false), had = document.activeElement;
  next.innerHTML = policy.createHTML(html);
  morph(nav, next);
  if (had !== document.activeElement && had.isConnected) had.focus({ preventScroll: true });
  document.dispatchEvent(new Event('sayso:list'));
}

// morph makes an element like another one. Children are told by their id. What the
// person has changed stays: texts, ticks, what is open.
function morph(old, now) {
  if (old.isEqualNode(now)) return;
  if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = now.nodeValue; return; }
  for (const { name } of [...old.attributes]) if (!now.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  for (const { name, value } of now.attributes) if (old.getAttribute(name) !== value && name !== 'open') old.setAttribute(name, value);
  const wanted = new Set([...now.children].map(c => c.id));
  for (const c of [...old.children]) if (c.id && !wanted.has(c.id)) c.remove();
  const named = new Map([...old.children].filter(c => c.id).map(c => [c.id, c]));
  let at = old.firstChild;
  for (const n of [...now.childNodes]) {
    const same = n.id ? named.get(n.id) : at && !at.id && at.nodeName === n.nodeName ? at : null;
    if (!same) { old.insertBefore(n, at); continue; }
    if (same === at) at = at.nextSibling;
    else if (old.moveBefore) old.moveBefore(same, at);
    else old.insertBefore(same, at);
    morph(same, n);
  }
  while (at) { const next = at.nextSibling; at.remove(); at = next; }
}

if (nav && listAddress()) {
  live(W.connecting);
  connectLive();
  for (const change of ['online', 'focus', 'pageshow']) addEventListener(change, () => port.postMessage('look'));
  on('visibilitychange', () => { if (!document.hidden) port.postMessage('look'); });
  addEventListener('pagehide', () => port.postMessage('bye'));
  // What it was told meanwhile it could not fetch, or it was not told.
  const missed = () => { refreshList(); if ($('#ask')) refresh(); };
  addEventListener('online', missed);
  addEventListener('pageshow', e => { if (e.persisted) { connectLive(); missed(); } });
}
