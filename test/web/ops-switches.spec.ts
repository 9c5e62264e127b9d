import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { CallView, FleetState, ListedProcess, ListedSwitches } from '#contracts';
import { callsOf, Chat } from '../e2e/models-chat.js';
import { gate } from '../e2e/scripted-provider.js';
import { removeFolders, requestJson } from '../e2e/standalone-process.js';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { connectBrowser, openPage, takePicture } from './browser.js';
import type { Contexts } from './contexts.js';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let contexts: Contexts;
let chat: Chat;
let url: string;
/** The operator who switches, and another one who looks on. */
let page: Page;
let other: Page;
let complaints: string[];

beforeAll(async () => {
  [contexts, chat] = await Promise.all([connectBrowser(), Chat.start()]);
  ({ url } = chat.process);
  const [own, others] = [await contexts.takeOnce(), await contexts.takeOnce(phone)];
  ({ page, complaints } = await openPage(own, `${url}/ops`));
  ({ page: other } = await openPage(others, `${url}/ops`));
  await Promise.all([row('Toolsets', 'math').waitFor(), seenByOther('Nothing is paused')]);
}, 60_000);
afterAll(async () => {
  await Promise.all([contexts?.browser.close(), chat?.close()]);
  await removeFolders();
});
afterEach(async () => {
  for (const { kind, name } of await listSwitches())
    await requestJson(`${url}/api/admin/switches/${kind}/${name}`, { method: 'DELETE' });
  await page.getByText('Nothing is paused').waitFor();
  expect(complaints).toEqual([]);
});

const row = (card: string, text: string) =>
  page.getByRole('region', { name: card }).locator('table').getByRole('row').filter({ hasText: text });
const button = (name: string) => page.getByRole('button', { name, exact: true }).first();
const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
const seenByOther = (text: string | RegExp) => other.getByText(text).first().waitFor();
const focusedLabel = () => page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');

async function confirm(label: string, fields: Record<string, string> = {}, verb = label): Promise<void> {
  for (const [name, text] of Object.entries(fields)) await dialog(label).getByLabel(name).fill(text);
  await dialog(label).getByRole('button', { name: verb, exact: true }).click();
  await dialog(label).waitFor({ state: 'detached' });
}

async function listSwitches() {
  const { body } = await requestJson<ListedSwitches>(`${url}/api/admin/switches`);
  return body.switches;
}

async function workerProcess(): Promise<ListedProcess> {
  const { body } = await requestJson<FleetState>(`${url}/api/admin/status`);
  return body.processes.find(({ role }) => role === 'worker')!;
}

async function isOffered(tool: string): Promise<boolean> {
  return (await (await fetch(`${url}/api/tools`)).text()).includes(`"${tool}"`);
}

/** How a call of `math.add` ends that a model asks for after `meanwhile`, of which the model knew nothing. */
async function callAfter(meanwhile: () => Promise<void>): Promise<CallView> {
  const { until, open } = gate();
  const asked = chat.provider.requests.length;
  chat.startConversation();
  const call = useTools(['toolu_1', 'math__add', { a: 17, b: 25 }]);
  const turnId = await chat.send('add', { ...call, hold: until }, say('Done.'));
  await waitFor(() => chat.provider.requests.length > asked, { what: 'the request of the model' });
  await meanwhile();
  open();
  return callsOf(await chat.ended(turnId))[0]!;
}

const unchanged = async () => undefined;
const SUM = { state: 'succeeded', result: '42' };

/** The whole label of the button that drains the only worker. */
async function drainLabel(): Promise<string> {
  return `Drain ${(await workerProcess()).id.slice(0, 'worker-01234567'.length)}`;
}

describe('switches on the page of operators', () => {
  it('drain a process after a question: it offers nothing until that is undone', async () => {
    const label = await drainLabel();
    await button(label).click();
    await takePicture(page, 'ops-switch-drain');
    await dialog(label).getByRole('button', { name: 'Cancel' }).click();
    expect([await listSwitches(), await focusedLabel()]).toEqual([[], label]);
    await button(label).click();
    await confirm(label, { 'Reason (optional)': 'new disk' });
    await waitFor(async () => (await workerProcess()).load.draining === true, { what: 'the drain' });
    await waitFor(async () => !(await isOffered('math.add')), { what: 'the end of the offer' });
    await seenByOther('By local: new disk');
    await seenByOther('No worker takes calls: 1 draining.');
    await button(label.replace('Drain', 'Undo the drain of')).click();
    await waitFor(() => isOffered('math.add'), { what: 'the offer' });
    expect(await callAfter(unchanged)).toMatchObject(SUM);
  });

  it('drain the only gateway: who opens the page then can still undo it', async () => {
    const { body } = await requestJson<FleetState>(`${url}/api/admin/status`);
    const { id } = body.processes.find(({ role }) => role === 'gateway')!;
    await requestJson(`${url}/api/admin/switches/process/${id}`, { method: 'PUT', json: {} });
    const { page: late } = await openPage(await contexts.takeOnce(), `${url}/ops`);
    await late
      .getByRole('button', { name: /^Undo the drain of gateway/ })
      .first()
      .click();
    await page.getByText('Nothing is paused').waitFor();
    await late.close();
  });

  it('pause a toolset: its calls are refused, and another page says who did it, for how long and why', async () => {
    const refused = await callAfter(async () => {
      await button('Pause math').click();
      await confirm('Pause math', { 'Reason (optional)': 'wrong sums' });
    });
    expect(refused).toMatchObject({ state: 'failed' });
    expect(refused.error?.error_message).toMatch(/paused by an operator/);
    expect(await row('Toolsets', 'math').innerText()).toContain('paused');
    await seenByOther(/math is paused/);
    expect(await other.getByRole('rowgroup').filter({ hasText: 'wrong sums' }).innerText()).toMatch(
      /[\d.]+ s\s.*By local: wrong sums/s,
    );
    await other.getByText('wrong sums').scrollIntoViewIfNeeded();
    await takePicture(other, 'ops-switches-phone');
    await takePicture(page, 'ops-switches');
    await button('Resume math').press('Enter');
    await button('Pause math').waitFor();
    expect(await callAfter(unchanged)).toMatchObject(SUM);
  });

  it('block a tool that is typed, and say when no worker has it', async () => {
    await button('Block a tool').click();
    await dialog('Block a tool').getByRole('combobox', { name: 'Tool' }).fill('math.nothing');
    await dialog('Block a tool').getByRole('button', { name: 'Block' }).click();
    await dialog('Block a tool').getByText('No living worker has math.nothing.').waitFor();
    await dialog('Block a tool').getByRole('button', { name: 'Close' }).click();
    await row('Switches', 'math.nothing').getByRole('button', { name: 'Unblock math.nothing' }).click();
    const refused = await callAfter(async () => {
      await button('Block a tool').click();
      await confirm('Block a tool', { Tool: 'math.add' }, 'Block');
    });
    expect(refused).toMatchObject({ state: 'failed' });
    expect(refused.error?.error_message).toMatch(/paused by an operator/);
    await row('Switches', 'math.add is blocked').waitFor();
    await button('Unblock math.add').click();
    await row('Switches', 'math.add').waitFor({ state: 'detached' });
    expect(await callAfter(unchanged)).toMatchObject(SUM);
  });

  it('refuse new turns after a question, with the message that senders read', async () => {
    await other.getByRole('button', { name: 'Refuse new turns' }).click();
    const asked = other.getByRole('dialog', { name: 'Refuse new turns' });
    const { x, width } = (await asked.boundingBox())!;
    expect([x > 0, x + width < phone.viewport.width]).toEqual([true, true]);
    await takePicture(other, 'ops-switch-refuse-phone');
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await button('Refuse new turns').click();
    await confirm('Refuse new turns', { 'Message to senders (optional)': 'Back at noon.' });
    await seenByOther(/new turns are refused/);
    await expect(chat.viewer.send('hello')).rejects.toThrow('Back at noon.');
    await button('Take turns again').click();
    await button('Refuse new turns').waitFor();
    expect(await callAfter(unchanged)).toMatchObject(SUM);
  });

  it('say at the button why it failed', async () => {
    const pattern = '**/api/admin/switches/**';
    await page.route(pattern, (route) => route.abort());
    await button('Pause math').click();
    await dialog('Pause math').getByRole('button', { name: 'Pause math' }).click();
    await dialog('Pause math').getByRole('alert').getByText('The server cannot be reached.').waitFor();
    expect(await listSwitches()).toEqual([]);
    await page.unroute(pattern);
    await confirm('Pause math');
    await button('Resume math').waitFor();
    await page.route(pattern, (route) => route.abort());
    await button('Resume math').click();
    await dialog('Resume math').getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await dialog('Resume math').getByRole('button', { name: 'Close' }).click();
    await page.unroute(pattern);
  });
});
