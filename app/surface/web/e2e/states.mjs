// Every page and state of the inbox, for the tests that look at all of them and for the
// pictures. stage fills a world; each state then brings a page to what it is called.
import { send } from './world.mjs';

const sends = p => send(p, '', '.bar button.go:visible, .bar [value=send]:visible');
const older = p => p.evaluate(() => { for (const k of Object.keys(localStorage)) if (k.startsWith('sayso out ')) localStorage[k] = JSON.stringify({ ...JSON.parse(localStorage[k]), asks: true }); });
const live = p => p.waitForFunction(() => document.querySelector('#live').textContent === W.live);
const database = {
  header: 'Database', text: 'Which database should the invoices use?',
  body: 'Before it:\n\n- [x] tests pass\n- [ ] backup made\n\n| | rows | size |\n|---|---:|---:|\n| orders | 1,204,332 | 3.1 GB |\n| customers | 88,120 | 210 MB |\n',
  options: [{ label: 'PostgreSQL', recommended: true, description: 'It runs in production already' }, { label: 'SQLite', description: 'One file, one writer' }, { label: 'MongoDB' }],
};
const table = { header: 'Cleanup', text: 'What about the old table?', options: [{ label: 'Keep it' }, { label: 'Drop the table', description: 'All 1,204 rows are gone for good', danger: true }] };
const hebrew = {
  header: 'פריסה', text: 'לפרוס את הגרסה v2.4.1 עכשיו?', body: 'הבדיקות עברו. ראו `deploy.sh --prod`.\n\n1. גיבוי\n2. פריסה',
  options: [{ label: 'כן, עכשיו', description: 'כשתי דקות השבתה' }, { label: 'לא, הלילה' }],
};

// choices sets what a person has chosen in the settings.
export const choices = (w, p, form) => p.request.post(w.base + '/settings', { form, maxRedirects: 0 });

// stage adds what the states need, and returns them: name → how a page gets there. A
// state returns false if it is no page of the inbox, so that nothing in it is live.
export async function stage(w) {
  const put = (question, origin = {}) => w.tell('put ' + JSON.stringify({ questions: [question], origin: { host: 'claude-code', workspace: 'billing', branch: 'main', conversation: 'c1', ...origin } }));
  await w.tell('history');
  const one = await put(database), same = [await put(table, { host: 'codex' }), await put(table, { host: 'gemini', workspace: 'web' })];
  const rtl = await put(hebrew, { host: 'opencode' }), words = await put({ text: 'What should the service be called?' });
  const closed = await put({ text: 'Which region?', options: [{ label: 'eu-west-1' }, { label: 'us-east-1' }] });
  await w.tell(`close ${closed} eu-central-1`);
  await w.tell('block Which of the two migrations runs first?');
  const wants = {};
  for (const name of ['shell', 'edit', 'write', 'plan']) wants[name] = await w.tell('approve ' + name);
  const to = path => p => p.goto(w.base + path);
  const ask = (path, then) => async p => { await p.goto(w.base + path); await p.waitForSelector('#ask'); await then?.(p); };
  return {
    inbox: to('/'),
    search: to('/?q=database'),
    'nothing-found': to('/?q=zebra'),
    grouped: to('/?group=1'),
    later: async p => {
      const path = await put({ text: `Which colour for ${Math.random().toString(36).slice(2, 7)}?` });
      await p.request.post(w.base + path, { form: { do: 'later hour' }, maxRedirects: 0 });
      await p.goto(w.base + '/?view=later');
    },
    history: to('/?view=history'),
    all: to('/?view=all'),
    ask: ask(one),
    questions: async p => { await p.goto(w.base + '/?q=payments'); await p.click('#asks >> text=Which database should the payments'); await p.waitForSelector('#form'); },
    'in-words': ask(words),
    hebrew: ask(rtl),
    refused: ask(words, async p => { await sends(p); await p.waitForSelector('#problems'); }),
    danger: ask(same[0], async p => { await p.click('text=Drop the table'); await sends(p); await p.waitForSelector('#confirm'); }),
    waiting: ask(words, async p => {
      await p.fill('textarea[name=t0]', 'ledger');
      await p.route('**/ask/**', r => r.request().method() === 'POST' ? r.abort() : r.continue());
      await sends(p);
      await p.waitForSelector('#queued');
    }),
    'waiting-elsewhere': async p => {
      await older(p);
      await p.unrouteAll({ behavior: 'ignoreErrors' });
      await p.goto(w.base + '/');
      await p.waitForSelector('#outbox');
    },
    closed: ask(closed),
    batch: async p => { await p.goto(w.base + same[1]); await p.click('#together'); await p.waitForURL(/batch/); },
    shell: ask(wants.shell), edit: ask(wants.edit), plan: ask(wants.plan), write: ask(wants.write), 'all-of-it': to(wants.write + '/all'),
    settings: to('/settings'), stats: to('/stats'), sessions: to('/sessions'),
    notifications: async p => { await w.tell('devices ' + await p.getAttribute('body', 'data-who')); await p.goto(w.base + '/notifications'); },
    keys: async p => { await p.goto(w.base + '/'); await p.keyboard.press('?'); await p.waitForSelector('dialog[open]'); },
    'no-question': to('/ask/nothing'), 'no-page': to('/no/such/page'),
    'signed-out': async p => { await p.goto(w.base + '/'); await live(p); await p.request.post(w.base + '/logout', { maxRedirects: 0 }); await p.waitForSelector('#out', { state: 'visible' }); },
    'hub-away': async p => { await p.goto(w.base + '/'); await live(p); await p.evaluate(() => live(W.reconnecting)); },
    offline: async p => { await p.goto(w.base + '/offline'); return false; },
    login: async p => { await p.goto(w.base + '/login'); return false; },
    'login-refused': async p => { await p.goto(w.base + '/login'); await p.fill('#token', 'guess'); await p.click('button.go'); await p.waitForSelector('.note.err'); return false; },
    // Its undo is on every page for a while: the last.
    held: async p => {
      const path = await put({ text: 'Which port?', options: [{ label: '8080' }, { label: '9090' }] });
      await choices(w, p, { grace: '30' });
      await p.goto(w.base + path);
      await p.click('.card >> text=8080');
      if (await p.locator('#form button.go:visible').count()) await sends(p);
      await p.waitForSelector('#closed');
    },
  };
}

// signsOut reports whether a person has to sign in again after a state.
export const signsOut = name => name.startsWith('login') || name === 'signed-out';

// last are those after which the world is of no use to the others.
export const last = w => ({
  broken: async p => { await p.goto(w.base + '/'); await w.tell('halt'); await p.goto(w.base + '/'); return false; },
});

// empty is a world in which nothing waits.
export const empty = w => ({
  empty: p => p.goto(w.base + '/'),
  'empty-stats': p => p.goto(w.base + '/stats'),
  'empty-history': p => p.goto(w.base + '/?view=history'),
});
