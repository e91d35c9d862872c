// Firefox as Debian has it, driven with Marionette, the protocol below its WebDriver:
// a message is its length, a colon, and JSON.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

const patience = process.env.SAYSO_PATIENCE ? 1000 * parseInt(process.env.SAYSO_PATIENCE) : 120_000;
const pause = ms => new Promise(done => setTimeout(done, ms));
const element = 'element-6066-11e4-a52e-4f735466cecf'; // how WebDriver names one

// free returns a port that nobody has.
const free = () => new Promise(done => {
  const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => done(port)); });
});

export async function firefox() {
  const profile = mkdtempSync(path.join(tmpdir(), 'sayso-firefox-')), port = await free();
  writeFileSync(path.join(profile, 'user.js'), Object.entries({
    'marionette.port': port, 'browser.shell.checkDefaultBrowser': false, 'datareporting.policy.dataSubmissionEnabled': false,
    'app.update.enabled': false, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
    'browser.tabs.remote.autostart': true, 'intl.accept_languages': 'en',
  }).map(([k, v]) => `user_pref(${JSON.stringify(k)}, ${JSON.stringify(v)});\n`).join(''));
  const program = spawn('firefox-esr', ['--headless', '--no-remote', '--marionette', '--profile', profile], { stdio: 'ignore', env: { ...process.env, HOME: profile } });
  const ended = new Promise(done => program.on('exit', done));
  let socket;
  for (const end = Date.now() + patience; !socket; await pause(50)) {
    if (Date.now() > end) throw new Error('Firefox does not listen');
    socket = await new Promise(done => { const s = net.connect(port, '127.0.0.1', () => done(s)); s.on('error', () => done(null)); });
  }
  const waiting = new Map();
  let text = Buffer.alloc(0), last = 0;
  socket.on('data', more => {
    text = Buffer.concat([text, more]);
    for (;;) {
      const colon = text.indexOf(':'), n = colon < 0 ? NaN : Number(text.subarray(0, colon));
      if (!(text.length >= colon + 1 + n)) return;
      const m = JSON.parse(text.subarray(colon + 1, colon + 1 + n));
      text = text.subarray(colon + 1 + n);
      if (!Array.isArray(m)) continue; // its name
      const [, id, error, value] = m, { yes, no } = waiting.get(id);
      waiting.delete(id);
      if (error) no(new Error(`${error.error}: ${error.message}`)); else yes(value);
    }
  });
  socket.on('error', () => {});
  const call = (name, args = {}) => new Promise((yes, no) => {
    const id = ++last, m = JSON.stringify([0, id, name, args]);
    waiting.set(id, { yes, no });
    socket.write(`${Buffer.byteLength(m)}:${m}`);
  });
  await call('WebDriver:NewSession', { capabilities: { alwaysMatch: { pageLoadStrategy: 'normal' } } });
  await call('WebDriver:SetTimeouts', { script: patience, pageLoad: patience });

  const f = {
    goto: url => call('WebDriver:Navigate', { url }),
    reload: () => call('WebDriver:Refresh'),
    // evaluate runs a function of the page with its arguments.
    evaluate: async (fn, ...args) => (await call('WebDriver:ExecuteScript', { script: `return (${fn}).apply(null, arguments)`, args, sandbox: null })).value,
    // until waits for a function of the page to be true.
    async until(fn, ...args) {
      for (const end = Date.now() + patience; ; await pause(30)) {
        const v = await f.evaluate(fn, ...args).catch(() => null); // the page may just be leaving
        if (v) return v;
        if (Date.now() > end) throw new Error(`never: ${fn} ${JSON.stringify(args)}\n${await f.evaluate(() => location.href + '\n' + document.body.innerText).catch(String)}`);
      }
    },
    shown: words => f.until(words => document.body.innerText.includes(words), words),
    async find(selector) {
      await f.until(s => document.querySelector(s), selector);
      return (await call('WebDriver:FindElement', { using: 'css selector', value: selector })).value[element];
    },
    click: async selector => call('WebDriver:ElementClick', { id: await f.find(selector) }),
    type: async (selector, text) => call('WebDriver:ElementSendKeys', { id: await f.find(selector), text }),
    // press presses a key wherever the focus is.
    press: key => call('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions: [{ type: 'keyDown', value: key }, { type: 'keyUp', value: key }] }] }),
    async tab() {
      const { handle } = await call('WebDriver:NewWindow', { type: 'tab' });
      await f.to(handle);
      return handle;
    },
    here: async () => (await call('WebDriver:GetWindowHandle')).value,
    to: handle => call('WebDriver:SwitchToWindow', { handle }),
    async end() {
      socket.destroy();
      program.kill();
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return f;
}
