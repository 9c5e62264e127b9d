import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { Gates } from '../e2e/gates.js';
import { usePageFixture } from '../e2e/page-fixture.js';
import { writeSettings } from '../e2e/standalone-process.js';

let gates: Gates;
beforeAll(async () => {
  gates = await Gates.create();
});
afterAll(() => gates.remove());

const web = usePageFixture(async () => ({
  MCP_CONFIG: await gates.mcpConfig({ gate: 'once', reader: 'read' }),
  CONFIG: await writeSettings('switchyard.json', { tools: { 'math.multiply': { approve: true } } }),
}));

const hold = (server: string, name: string) => `call ${server}.hold with {"name": "${name}"}`;

/** MCP servers connect after the process is ready. */
async function areToolsThere(): Promise<void> {
  const ask = async () => {
    const tools = await (await fetch(`${web.process.url}/api/tools`)).text();
    return tools.includes('mcp:gate:hold') && tools.includes('mcp:reader:hold');
  };
  await waitFor(ask, { what: 'the tools of the MCP servers', timeoutMs: 20_000 });
}

describe('the page, when its process is killed and started again', () => {
  it('reports the loss; the turn continues, messages written meanwhile are sent once, and nothing is doubled', async () => {
    const tab = await web.open();
    await tab.say('say before');
    await tab.hasEnded(1);
    await tab.say('count to 300');
    await tab.reads('1 2 3');
    await web.kill();
    await tab.seen(/^Reconnecting.*What you write is kept and sent once\.$/);
    await tab.seen(/^Shown as of \d\d:\d\d:\d\d\. The turn goes on without this page\.$/);
    await tab.say('say written while cut off');
    await tab.tray.getByText('on this device only').waitFor();
    await tab.composer.fill('a draft');
    await tab.takePicture('reconnect-light');
    await tab.page.emulateMedia({ colorScheme: 'dark' });
    await tab.takePicture('reconnect-dark');
    await web.restart();
    await tab.seen('Connected again.');
    await tab.hasEnded(3);
    const count = Array.from({ length: 300 }, (_, index) => index + 1).join(' ');
    expect(await tab.page.locator('.prose').allInnerTexts()).toEqual([
      'before',
      count,
      'written while cut off',
    ]);
    const own = ['say before', 'count to 300', 'say written while cut off'];
    expect(await tab.ownMessages()).toEqual(own);
    expect(await tab.composer.inputValue()).toBe('a draft');
    await tab.takePicture('reconnected-dark');
    const other = await web.open(new URL(tab.page.url()).hash);
    await other.hasEnded(3);
    expect(await other.ownMessages()).toEqual(own);
  }, 60_000);

  it('shows a call that must not run twice as "May have run", open and with advice', async () => {
    await areToolsThere();
    const tab = await web.open();
    await tab.say(`${hold('gate', 'booking')} and ${hold('reader', 'reading')}`);
    await Promise.all([gates.started('booking'), gates.started('reading')]);
    await tab.page
      .getByText(/^Running/)
      .nth(1)
      .waitFor();
    await tab.takePicture('running-light');
    await web.kill();
    await tab.page.getByText('Was running').nth(1).waitFor();
    await tab.takePicture('was-running-light');
    await web.restart();
    await gates.started('reading', 2);
    await tab.seen('Running · attempt 2');
    await tab.takePicture('attempt-light');
    gates.open('reading');
    await tab.hasEnded(1);
    expect(gates.starts('booking')).toBe(1);
    await tab.seen('May have run');
    await tab.seen(/It will not be started again\./);
    await tab.takePicture('may-have-run-light');
    await tab.page.emulateMedia({ colorScheme: 'dark' });
    await tab.takePicture('may-have-run-dark');
  }, 60_000);
});

describe('Stop while calls run and wait', () => {
  it('distinguishes "Stopped" from "Never started"', async () => {
    await areToolsThere();
    const tab = await web.open();
    await tab.say(`${hold('gate', 'stopped')} and call math.multiply with {"a": 6, "b": 7}`);
    await gates.started('stopped');
    await tab.seen('Running');
    await tab.seen('Waiting for you');
    await tab.page.keyboard.press('Escape');
    const states = tab.lastTurn.locator('.call-state');
    await waitFor(async () => (await states.allInnerTexts()).join() === 'Stopped,Never started', {
      what: 'the ends of both calls',
    });
    await tab.seen(/^Stopped at .*Nothing of this turn is still running\.$/);
    await tab.takePicture('stopped-call-light');
    // The worker does not wait for its server's own end.
    await waitFor(() => gates.cancels('stopped') === 1, { what: 'the tool being told to stop' });
  });
});
