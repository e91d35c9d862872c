// The one connection of a browser to its hub. It says which questions have changed;
// pages fetch what they show of them. As a shared worker it serves all pages; where
// browsers have no such workers (Chrome on Android), each page has its own.

// follow keeps a connection and tells what it hears:
//   { state: 'live' }   connected
//   { state: 'down' }   not, and trying
//   { state: 'out' }    signed out: it tries again when look is called
//   { state: 'full' }   too many browsers: it tries again after a while
//   { all: true } or { asks: [handle, …] }   what has changed
// look connects now if there is reason to doubt the connection, or if it must, as for a
// page that heard something else than it was told; stop ends it until then. After sleep it
// connects by itself: the connection may have died, and no event says that the computer is
// awake.
function follow(tell) {
  const silence = 40_000, answer = 10_000, longest = 2_000, asleep = 5_000, slow = 3_000; // ms; the hub says something every 15 s
  const worker = Math.random().toString(36).slice(2);
  let state = '', heard = 0, wait = 0, asking = false, count = 0, control, timer;
  const say = now => { if (now !== state) tell({ state: state = now }); };
  const again = ms => { clearTimeout(timer); timer = setTimeout(connect, ms); };

  async function connect() {
    clearTimeout(timer);
    control?.abort();
    asking = true;
    heard = Date.now(); // an attempt that just began is not begun again
    const mine = control = new AbortController();
    let late = setTimeout(() => mine.abort(), answer);
    try {
      // The hub ends what the same worker opened before.
      const r = await fetch(`/events?worker=${worker}&count=${++count}`, { headers: { Accept: 'text/event-stream' }, signal: mine.signal, cache: 'no-store' });
      asking = false;
      if (r.status === 401) return say('out');
      if (r.status === 429) { say('full'); return again(30_000); }
      if (!r.ok) throw new Error(r.status);
      const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        clearTimeout(late);
        late = setTimeout(() => mine.abort(), silence);
        const { value, done } = await reader.read();
        if (done) throw new Error('ended');
        heard = Date.now();
        text += value;
        const all = text.split('\n\n');
        text = all.pop();
        for (const e of all) {
          if (e.startsWith('event: sayso:signedout')) return say('out');
          if (!e.startsWith('data: ')) continue;
          wait = 0;
          say('live');
          tell(JSON.parse(e.slice(6)));
        }
      }
    } catch {
      if (mine !== control) return; // another one has taken its place
      asking = false;
      say('down');
      wait = Math.min(longest, (wait || 100) * 2);
      again(wait * (0.5 + Math.random() / 2));
    } finally {
      clearTimeout(late);
      mine.abort();
    }
  }
  connect();
  let tick = Date.now();
  setInterval(() => {
    const slept = Date.now() - tick > asleep;
    tick = Date.now();
    if (slept && control && !self.document?.hidden) connect(); // browsers slow the clocks of hidden pages, which look when they are shown
  }, 1000);
  return {
    look(sure) {
      if (sure) state = ''; // what it finds is told, also if it is as before
      if (sure || !asking && state !== 'live' || Date.now() - heard > (asking ? slow : silence / 2)) connect();
    },
    stop() { clearTimeout(timer); const c = control; control = null; asking = false; state = ''; c?.abort(); },
    state: () => state,
  };
}

if ('SharedWorkerGlobalScope' in self) {
  const pages = new Set();
  const all = follow(m => { for (const p of pages) p.postMessage(m); });
  self.addEventListener('connect', e => {
    const p = e.ports[0];
    pages.add(p);
    p.onmessage = ({ data }) => {
      if (data !== 'bye') return all.look(data === 'again');
      pages.delete(p);
      if (!pages.size) all.stop(); // browsers may keep the worker for pages that one can go back to
    };
    if (all.state()) p.postMessage({ state: all.state() });
    if (all.state() === 'live') p.postMessage({ all: true }); // the page may be older than the connection
    else all.look();
  });
}
