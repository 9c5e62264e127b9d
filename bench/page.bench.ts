import { once } from 'node:events';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { builtFolder } from '../test/services/built.js';
import { launchBrowser, openPage } from '../test/web/browser.js';
import { FakeGateway } from '../test/web/fake-gateway.js';
import { waitFor } from '../test/services/wait-for.js';
import { spreadOf, type Row } from './measure.js';

const TOKENS_PER_SECOND = 200;
const SECONDS = 20;
const TICK_MS = 20;

/** What a long answer has, again and again: text, a list, a table, code. */
const PART = [
  '## Part\n\nA paragraph with **bold** words, `code`, and [a link](https://example.com), as answers have them. ',
  'It goes on for a while, so that lines break.\n\n',
  '- one item\n- another one with *emphasis*\n  - and one below it\n\n',
  '| order | state | amount |\n|---|---|---:|\n| A-1 | paid | 129 |\n| A-2 | open | 17 |\n| A-3 | sent | 4,211 |\n\n',
  '```ts\ninterface Rows {\n  [name: string]: string;\n}\nexport const rows: Rows = { a: "1" };\n```\n\n',
].join('');

/** Runs in the page: collects the time between frames, and tasks of more than 50 ms. */
const COLLECT = `
  window.frames_ = []; window.tasks_ = [];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.tasks_.push(duration); })
    .observe({ entryTypes: ['longtask'] });
  let last = performance.now();
  const look = (now) => { window.frames_.push(now - last); last = now; requestAnimationFrame(look); };
  requestAnimationFrame(look);
`;

interface Seen {
  frames: number[];
  tasks: number[];
}

/** The real page in Chromium while an answer grows, with the CPU as it is and slowed four times. */
export async function benchPage(): Promise<Row[]> {
  const contexts = await launchBrowser();
  const rows: Row[] = [];
  for (const [name, slower] of [
    ['', 1],
    [', CPU slowed four times', 4],
  ] as const) {
    const { idle, growing } = await measure(await contexts.takeOnce(), slower);
    const [frames, calm] = [spreadOf(growing.frames), spreadOf(idle.frames)];
    rows.push({
      ...{ name: `page: a frame at ${TOKENS_PER_SECOND} tokens/s${name}`, unit: 'ms', ...frames },
      raw: { p50: calm.p50, p99: calm.p99, max: calm.max },
      ratio: { p50: frames.p50 / calm.p50, p99: frames.p99 / calm.p99 },
      ...(slower === 1 && { goal: '60 frames/s' }),
    });
    rows.push({
      ...{ name: `page: a task of over 50 ms meanwhile${name}`, unit: 'ms', ...spreadOf(growing.tasks) },
      ...(slower > 1 && { goal: 'none over 200' }),
    });
  }
  await contexts.browser.close();
  return rows;
}

async function measure(context: BrowserContext, slower: number): Promise<{ idle: Seen; growing: Seen }> {
  const gateway = await FakeGateway.start(join(builtFolder, 'apps/web'));
  await context.addInitScript(COLLECT);
  const { page } = await openPage(context, gateway.url);
  const composer = page.getByRole('textbox', { name: 'Message' });
  await composer.fill('Go on');
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await take(page);
  await page.waitForTimeout(3_000);
  const idle = await take(page);
  await composer.press('Enter');
  const turn = (await waitFor(() => gateway.turn(0), { what: 'the turn' })).start().say('# Start\n\n');
  await page.locator('.prose [data-depth]').waitFor();
  await take(page);
  await stream((text) => turn.stream(text));
  const growing = await take(page);
  await context.close();
  await gateway.close();
  return { idle, growing };
}

/** Evenly; a timer that comes late sends what it owes. */
async function stream(send: (text: string) => void): Promise<void> {
  const tokens = PART.repeat(100).match(/\s?\S{1,6}|\s/g)!;
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(SECONDS, (performance.now() - startedAt) / 1_000) * TOKENS_PER_SECOND;
    while (sent < due) send(tokens[sent++ % tokens.length]!);
    if (due >= SECONDS * TOKENS_PER_SECOND) over.dispatchEvent(new Event('over'));
  }, TICK_MS);
  const over = new EventTarget();
  await once(over, 'over');
  clearInterval(timer);
}

/** What was collected since the last time. */
async function take(page: Page): Promise<Seen> {
  return page.evaluate<Seen>('({ frames: window.frames_.splice(0), tasks: window.tasks_.splice(0) })');
}
