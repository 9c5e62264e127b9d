import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import type { CallView } from '#contracts';
import { say, useTools } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { connectBrowser } from '../web/browser.js';
import type { Contexts } from '../web/contexts.js';
import { callsOf, Chat } from './models-chat.js';
import { Tab } from './page-tab.js';
import { removeFolders, writeSettings } from './standalone-process.js';

const outputServer = fileURLToPath(new URL('./fixtures/output-server.mjs', import.meta.url));
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const MCP_SERVERS = {
  output: { command: process.execPath, args: [outputServer] },
  everything: { command: process.execPath, args: [everything, 'stdio'] },
};
const PNG_AS_BASE64 = 'iVBORw0KGgo';

interface Picture {
  naturalWidth: number;
}

let chat: Chat;
let contexts: Contexts;
const tabs: Tab[] = [];

beforeAll(async () => {
  chat = await Chat.start({ MCP_CONFIG: await writeSettings('mcp.json', { mcpServers: MCP_SERVERS }) });
  const areConnected = async () => {
    const tools = await (await fetch(`${chat.process.url}/api/tools`)).text();
    return tools.includes('mcp:output:lines') && tools.includes('tiny-image');
  };
  await waitFor(areConnected, { what: 'the tools of both servers', timeoutMs: 20_000 });
  contexts = await connectBrowser();
}, 60_000);
afterAll(async () => {
  await contexts?.browser.close();
  await chat?.close();
  await removeFolders();
});
beforeEach(() => chat.startConversation());
afterEach(async () => {
  const closing = tabs.splice(0);
  await Promise.all(closing.map((tab) => tab.close()));
  expect(closing.flatMap((tab) => tab.complaints)).toEqual([]);
  expect(chat.provider.violations).toEqual([]);
});

async function callOf(tool: string, args: Record<string, unknown>, turn = tool): Promise<CallView> {
  const ended = await chat.ask(turn, useTools(['toolu_1', tool, args]), say('Done.'));
  expect((await chat.readTurn(ended.turn_id)).steps).toEqual(ended.steps);
  return callsOf(ended)[0]!;
}

/** Opens the conversation of the test at its last call. */
async function openLastCall(options: BrowserContextOptions = {}): Promise<Tab> {
  const tab = await Tab.open(contexts, `${chat.process.url}/#/c/${chat.conversationId}`, options);
  tabs.push(tab);
  await tab.lastTurn.locator('.step-header').first().click();
  await tab.lastTurn.locator('.call-row').first().click();
  await tab.page.locator('.call-detail').waitFor();
  return tab;
}

const read = (id: string) => fetch(`${chat.process.url}/api/artifacts/${id}`);

describe('output over the budget', () => {
  it('is stored whole, once, and read and searched by the model in a later turn', async () => {
    const call = await callOf('output__lines', { bytes: 100 * 1024 });
    expect(call.artifacts).toEqual([
      {
        id: expect.stringMatching(/^art_[0-9a-f]{32}$/),
        content_type: 'text/plain',
        size: expect.any(Number),
        name: 'output.txt',
        whole: true,
      },
    ]);
    const { id, size } = call.artifacts![0]!;
    const whole = await (await read(id)).text();
    expect(Buffer.byteLength(whole)).toBe(size);
    expect(size).toBeGreaterThan(100 * 1024);
    const [{ content }] = chat.provider.lastMessages.at(-1)!.content as [{ content: [{ text: string }] }];
    expect(content[0].text).toContain(`artifact ${id}`);
    expect(Buffer.byteLength(content[0].text)).toBeLessThan(32 * 1024);

    expect((await callOf('output__lines', { bytes: 100 * 1024 }, 'again')).artifacts![0]!.id).toBe(id);

    const found = await callOf('artifacts__search', { id, pattern: 'line 20{2}\\d ' });
    const offset = Number(/^offset (\d+): /.exec(found.result!)![1]);
    expect(Buffer.from(whole).subarray(offset).toString()).toMatch(/^line 2000 /);
    expect(found.result).toMatch(/\[all 10 matches in \d+ bytes\]$/);
    const part = await callOf('artifacts__read', { id, offset, length: 100 });
    expect(part.result).toMatch(/^line 2000 – of many\nline 2001 /);
    expect(part.result).toMatch(/\[bytes (\d+) to \d+ of \d+; continue with offset \d+]$/);
    await chat.goesOn();

    chat.startConversation();
    const foreign = await callOf('artifacts__read', { id });
    expect(foreign.error).toMatchObject({ error_type: 'ResourceNotFound' });
    expect(JSON.stringify(foreign.error)).not.toContain('another');
  });

  it('of 9 MiB is refused, and the conversation continues', async () => {
    const call = await callOf('output__lines', { bytes: 9 * 1024 * 1024 });
    expect(call.error).toMatchObject({ error_type: 'ToolExecutionError' });
    expect(call.error!.error_message).toMatch(/over the limit of 8388608 bytes/);
    await chat.goesOn();
  });

  it('is opened in full from the page', async () => {
    const call = await callOf('output__lines', { bytes: 50 * 1024 });
    const tab = await openLastCall({ permissions: ['clipboard-read', 'clipboard-write'] });
    const [link] = await tab.page.getByRole('link', { name: 'The whole result' }).all();
    expect(await link!.getAttribute('href')).toBe(`/api/artifacts/${call.artifacts![0]!.id}`);
    await tab.button('Show what the model was given').click();
    await tab.seen('Lines 1–200 of');
    const whole = await (await read(call.artifacts![0]!.id)).text();
    await tab.button('Show all of it').click();
    await tab.seen(`Lines 1–200 of ${whole.trimEnd().split('\n').length.toLocaleString('en')}`);
    await tab.button('Copy result').click();
    await tab.button('Copied').waitFor();
    expect(await tab.page.evaluate('navigator.clipboard.readText()')).toBe(whole);
    await tab.takePicture('artifact-whole-light');
  });
});

describe('a picture from a real MCP server', () => {
  it('reaches the model as an image and the page by its address, never as base64 in an event', async () => {
    await chat.ask('hello', say('Hello.'));
    const names = chat.provider.requests.at(-1)!.body.tools!.map((tool) => String(tool.name));
    const call = await callOf(
      names.find((name) => name.includes('tiny'))!,
      {},
      'a picture',
    );
    const { id } = call.artifacts![0]!;
    expect(call.artifacts).toEqual([{ id, content_type: 'image/png', size: expect.any(Number) }]);
    expect(call.result).toContain(`artifact ${id}]`);
    const picture = Buffer.from(await (await read(id)).arrayBuffer()).toString('base64');
    expect(picture.startsWith(PNG_AS_BASE64)).toBe(true);
    const shown = [
      { type: 'text', text: call.result },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
    ];
    const result = { type: 'tool_result', tool_use_id: call.tool_call_id, content: shown };
    expect(chat.provider.lastMessages.at(-1)!.content).toEqual([result]);
    await chat.goesOn();
    expect(JSON.stringify(chat.provider.lastMessages)).toContain(picture);
    expect(JSON.stringify(chat.viewer.received)).not.toContain(PNG_AS_BASE64);
    expect(chat.process.log).not.toContain(PNG_AS_BASE64);
  });

  it('is shown in its call, in light, in dark and on a phone', async () => {
    const names = chat.provider.requests.at(-1)!.body.tools!.map((tool) => String(tool.name));
    await callOf(
      names.find((name) => name.includes('tiny'))!,
      {},
      'a picture',
    );
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const looks = { light: {}, dark: { colorScheme: 'dark' }, phone } as const;
    for (const [name, options] of Object.entries(looks)) {
      const tab = await openLastCall(options);
      const image = tab.page.locator('.artifact-picture img');
      const isLoaded = () => image.evaluate((shown) => (shown as unknown as Picture).naturalWidth === 20);
      await waitFor(isLoaded, { what: 'the picture' });
      await image.scrollIntoViewIfNeeded();
      await tab.takePicture(`artifact-picture-${name}`);
      const sizes = await tab.page.evaluate<number[]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      expect(sizes[0]).toBe(sizes[1]);
    }
  }, 60_000);
});

describe('hostile output', () => {
  it('remains text on the page and in the log, and opens as text', async () => {
    const call = await callOf('output__hostile', {});
    expect(call.artifacts).toMatchObject([
      { content_type: 'text/html', name: 'page.html' },
      { content_type: 'application/octet-stream' },
    ]);
    const [html, lie] = await Promise.all(call.artifacts!.map(({ id }) => read(id)));
    expect(html!.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(lie!.headers.get('content-disposition')).toMatch(/^attachment/);
    const tab = await openLastCall();
    await tab.page.locator('.call-detail').getByText('onerror').first().waitFor();
    await tab.takePicture('artifact-hostile-light');
    expect(await tab.page.locator('body :is(img, iframe, style, script, object, embed)').count()).toBe(0);
    const [opened] = await Promise.all([
      tab.context.waitForEvent('page'),
      tab.page.getByRole('link', { name: 'page.html' }).click(),
    ]);
    await opened.waitForLoadState();
    expect(await opened.locator('script, svg').count()).toBe(0);
    expect(await opened.locator('body').innerText()).toContain('<script>window.hit = 1</script>');
    expect(await tab.page.evaluate('window.hit')).toBeUndefined();
    // eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
    expect(chat.process.log).not.toMatch(/\u001b\[31m|\u202e/);
    await chat.goesOn();
  });
});
