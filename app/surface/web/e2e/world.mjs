// A world for one test: the demo server, and browsers that log in to it.
import { spawn } from 'node:child_process';
import readline from 'node:readline';
import { chromium } from 'playwright-core';

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// patience is how long anything may take on a busy machine.
const patience = 120_000;

export async function world() {
  const server = spawn(process.env.SAYSO_WEB_DEMO, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  const base = await next();
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, timeout: patience });
  const w = {
    base,
    async context(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      context.setDefaultTimeout(patience);
      return context;
    },
    async tell(line) { server.stdin.write(line + '\n'); return next(); },
    async person(name = 'ann', options = {}) {
      const page = await (await w.context(options)).newPage();
      page.problems = [];
      page.foreign = [];
      page.on('console', m => { if (m.type() === 'error') page.problems.push(m.text()); });
      page.on('dialog', d => { page.problems.push('dialog: ' + d.message()); d.dismiss(); });
      await page.addInitScript(() => document.addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, e.blockedURI, e.sourceFile)));
      page.on('pageerror', e => page.problems.push(String(e)));
      page.on('request', r => { if (!r.url().startsWith(base)) page.foreign.push(r.url()); });
      const link = await w.tell('login ' + name);
      if (options.javaScriptEnabled === false) {
        await page.goto(base + '/login');
        await page.fill('#token', link.split('#')[1]);
        await page.click('text=Open the inbox');
      } else {
        await page.goto(link);
        await page.waitForURL(base + '/');
      }
      return page;
    },
    async end() { await browser.close(); server.kill(); },
  };
  return w;
}

export const shown = (page, text) => page.waitForSelector(`text=${text}`);
