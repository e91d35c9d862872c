// A world for one test: the demo server, and browsers that sign in to it. All worlds
// of a file share one browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import readline from 'node:readline';
import { chromium } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
let launched;
after(async () => { await (await launched)?.close(); });

// busy is how long anything may take on a busy machine, in milliseconds; what a mutant
// never does need not be waited for that long.
const busy = 120_000, patience = process.env.SAYSO_PATIENCE ? 1000 * parseInt(process.env.SAYSO_PATIENCE) : busy;

export async function world(env = {}) {
  const server = spawn(process.env.SAYSO_WEB_DEMO, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let last = Promise.resolve();
  const next = async () => (await lines.next()).value;
  const base = await next();
  const browser = await (launched ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, timeout: busy }));
  const contexts = [];
  const w = {
    base, browser,
    // tell says a line to the server and returns its reply; one after the other.
    tell(line) { return last = last.then(() => { server.stdin.write(line + '\n'); return next(); }); },
    async context(options = {}) {
      const c = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      c.setDefaultTimeout(patience);
      contexts.push(c);
      return c;
    },
    // person is a page in a browser of its own, signed in.
    async person(name = 'ann', options = {}) {
      const page = await (await w.context(options)).newPage();
      page.problems = [];
      page.foreign = [];
      page.on('console', m => { if (m.type() === 'error') page.problems.push(m.text()); });
      page.on('dialog', d => { page.problems.push('dialog: ' + d.message()); d.dismiss(); });
      await page.addInitScript(() => document.addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI, e.sourceFile)));
      page.on('pageerror', e => page.problems.push(String(e)));
      page.on('request', r => { if (!r.url().startsWith(base)) page.foreign.push(r.url()); });
      await w.login(page, name, options.javaScriptEnabled);
      return page;
    },
    async login(page, name = 'ann', script = true) {
      const link = await w.tell('login ' + name);
      if (script) {
        await page.goto(link);
      } else {
        await page.goto(base + '/login');
        await page.fill('#token', link.split('#')[1]);
        await page.click('text=Open the inbox');
      }
      await page.waitForURL(u => u.pathname !== '/login'); // it may be the page that was asked for before
    },
    // put adds an ask and returns the path of its page.
    put(...questions) { return w.tell('put ' + JSON.stringify({ questions, origin: { host: 'codex' } })); },
    async state(path, name = 'ann') { return JSON.parse(await w.tell(`state ${path} ${name}`)); },
    // report says what the pages show, for a test that failed.
    async report() {
      for (const p of contexts.flatMap(c => c.pages())) {
        const text = await Promise.race([p.innerText('body').catch(String), new Promise(done => setTimeout(done, 5000, 'no reply from the page'))]);
        console.log(`${p.url()}\n${text.slice(0, 4000)}\n`);
      }
    },
    // Chromium forgets to close a page that is on its way to another one.
    async end() {
      await Promise.all(contexts.flatMap(c => c.pages()).map(p => p.goto('about:blank').catch(() => {})));
      await Promise.all(contexts.map(c => c.close()));
      server.kill();
    },
  };
  return w;
}

// within runs something in a world of its own; alone is a test of that.
export async function within(fn, env) {
  const w = await world(env);
  try { await fn(w); } catch (e) { await w.report(); throw e; } finally { await w.end(); }
}
export const alone = (name, fn) => test(name, () => within(fn));

// until waits for something to be so that no page shows.
export async function until(what, is) {
  for (const end = Date.now() + patience; !await is(); await new Promise(done => setTimeout(done, 20))) assert.ok(Date.now() < end, `never: ${what}`);
}

export const shown = (page, text) => page.waitForSelector(`text=${text}`);

// send presses a button of the form as often as the page leads to something that was
// not on the screen yet.
export async function send(page, text = 'Send', button = `.bar >> text=${text}`) {
  for (;;) {
    await page.evaluate(() => document.querySelector('#unread')?.remove());
    await page.locator(button).first().click();
    if (await page.locator('#unread').count() === 0) return;
    await page.waitForFunction(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
  }
}

// axe looks at a page as it stands, and returns what it finds.
const axeText = () => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export async function axe(p) {
  // evaluate runs the library outside the page's policy.
  const cdp = await p.context().newCDPSession(p);
  const found = await cdp.send('Runtime.evaluate', {
    expression: `${axeText()}; axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], rules: { 'heading-order': { enabled: true }, region: { enabled: true } } }).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html).join(' | ')))`,
    awaitPromise: true, returnByValue: true,
  });
  await cdp.detach();
  return found.result.value;
}

// accessible has axe look at a page, which must not scroll sideways either.
export async function accessible(p, url) {
  await p.goto(url);
  assert.ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${url} scrolls sideways`);
  assert.deepEqual(await axe(p), [], url);
}
