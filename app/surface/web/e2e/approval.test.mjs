// What an agent wants to do, in a real browser.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { accessible, alone, send, shown, world } from './world.mjs';

const answer = state => state.outcome.answers[0];
const clean = p => { assert.deepEqual(p.problems.filter(m => !m.includes('422')), []); // of a form that was refused
   assert.deepEqual(p.foreign, []);
};
const offer = (p, id) => p.locator(`input[value="option:${id}"]`);

alone('a command is allowed after all of it was on the screen, and what was changed runs', async w => {
  const path = await w.tell('approve shell');
  const p = await w.person('ann', { viewport: { width: 390, height: 500 } });
  await p.goto(w.base + path);
  assert.equal(await p.locator('input:checked').count(), 0, 'nothing is chosen for the person');
  await shown(p, 'Bash(docker compose *)');
  await shown(p, '.claude/settings.local.json');
  await p.evaluate(() => document.querySelector('input[value="option:once"]').click());
  await p.evaluate(() => scrollTo(0, 0));
  await p.click('.bar >> text=Send decision');
  await p.waitForSelector('#unread');
  assert.ok((await w.state(path)).open, 'it was sent before the person could have seen it');
  await p.click('text=Change it first');
  await p.fill('textarea[name=e0]', 'docker compose up payments');
  await shown(p, 'Draft saved');
  await p.reload();
  assert.equal(await p.inputValue('textarea[name=e0]'), 'docker compose up payments');
  await send(p, 'Send decision');
  await shown(p, 'Allowed');
  await shown(p, 'docker compose up payments');
  const said = answer(await w.state(path));
  assert.deepEqual(said.selected, ['once']);
  assert.equal(JSON.parse(said.input).command, 'docker compose up payments');
  clean(p);
});

alone('what is denied need not be read, and the agent is told why', async w => {
  const path = await w.tell('approve files');
  const p = await w.person('ann', { viewport: { width: 390, height: 500 } });
  await p.goto(w.base + path);
  await offer(p, 'deny').click();
  await p.fill('textarea[name=t0]', 'one file at a time, please');
  await p.click('.bar >> text=Send decision');
  await shown(p, 'Denied');
  const said = answer(await w.state(path));
  assert.deepEqual([said.selected, said.note], [['deny'], 'one file at a time, please']);
  clean(p);
});

alone('words alone deny, and never choose', async w => {
  const path = await w.tell('approve shell');
  const p = await w.person();
  await p.goto(w.base + path);
  await p.fill('textarea[name=t0]', 'Allow');
  await shown(p, 'Draft saved');
  assert.equal(await p.locator('input:checked').count(), 0);
  await send(p, 'Send decision');
  await shown(p, 'name one of the choices');
  await p.fill('textarea[name=t0]', 'yes, but without --volumes');
  await send(p, 'Send decision');
  await shown(p, 'Denied');
  assert.equal(answer(await w.state(path)).other, 'yes, but without --volumes');
  clean(p);
});

alone('228 KB are allowed by who opened them, and by nobody else', async w => {
  const path = await w.tell('approve write');
  const p = await w.person();
  await p.goto(w.base + path);
  assert.ok(await offer(p, 'once').isDisabled());
  await offer(p, 'allow_unseen').click();
  await send(p, 'Send decision');
  await shown(p, 'This is dangerous. Send it?');
  assert.ok((await w.state(path)).open);
  await p.click('text=Open all of it');
  await shown(p, 'This is all of it');
  await shown(p, '+COMMIT;');
  assert.equal(await offer(p, 'allow_unseen').count(), 0);
  await offer(p, 'once').click();
  await send(p, 'Send decision');
  await shown(p, 'Allowed');
  assert.equal(answer(await w.state(path)).opened.length, 1);
  clean(p);
});

alone('what was decided elsewhere is said, and the text stays', async w => {
  const path = await w.tell('approve shell');
  const p = await w.person();
  await p.goto(w.base + path);
  await p.waitForFunction(() => document.querySelector('#live').textContent === 'live');
  await p.fill('textarea[name=t0]', 'half a thought');
  await shown(p, 'Draft saved');
  await w.tell(`close ${path} no`);
  await shown(p, 'by bob (terminal)');
  await shown(p, 'Denied');
  assert.equal(await p.inputValue('.unsent textarea'), 'half a thought');
  assert.equal(await p.locator('.unsent textarea').count(), 1, 'a command that was not changed is no text of the person');
  clean(p);
});

test('axe finds nothing on the pages of approvals', async () => {
  const w = await world();
  try {
    const paths = [];
    for (const name of ['shell', 'edit', 'write', 'files', 'plan', 'blind']) paths.push(await w.tell('approve ' + name));
    for (const [colorScheme, width] of [['dark', 1440], ['light', 768], ['dark', 320]]) {
      const p = await w.person('ann', { colorScheme, viewport: { width, height: 800 } });
      for (const path of [...paths, paths[2] + '/all']) await accessible(p, w.base + path);
      await p.close();
    }
  } finally { await w.end(); }
});
