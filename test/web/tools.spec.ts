import { beforeEach, describe, expect, it } from '@jest/globals';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';
import { seedConversations } from './scenes.js';

const web = usePageFixture();
beforeEach(() => seedConversations(web.gateway));

const aTool = (toolset: string, own: string, qualified_name: string) => ({
  name: `mcp:${toolset}:${own}`,
  source: 'mcp',
  parameters: [],
  toolset,
  qualified_name,
  input_schema: { type: 'object' },
  class: 'once',
});

describe('the model that answers', () => {
  it('is named, and the demo model is explained where nothing is said yet', async () => {
    await web.open();
    await web.seen('claude-sonnet-5-5');
    expect(await web.page.getByText('The built-in demo model answers.').count()).toBe(0);
    web.gateway.defaultModel = 'demo';
    await web.page.reload();
    await web.seen('The built-in demo model answers.');
    await takePicture(web.page, 'demo-note');
    await web.say('What is 17 + 25?');
    await web.turn(0);
    await web.page.getByText('The built-in demo model answers.').waitFor({ state: 'detached' });
  });

  it('is the one of the conversation, where that has its own', async () => {
    web.gateway.add('own', 'With its own').summary.model = 'openai/gpt-5';
    await web.open('#/c/own');
    await web.seen('gpt-5');
  });
});

describe('the tools of an MCP server', () => {
  it('have the names of the server in the row, the approval and the folded step', async () => {
    const turn = web.gateway.accept('charges', 'Add them up', 'm1').start().say();
    turn.ask({
      tool: 'everything.get_sum_00817045d145',
      display: 'mcp:everything:get-sum',
      args: { a: 3, b: 4 },
      source: 'mcp',
      state: 'awaiting_approval',
    });
    await web.open('#/c/charges');
    await web.seen('Run everything.get-sum?');
    expect(await web.page.locator('.call-name').innerText()).toBe('everything.get-sum');
    await takePicture(web.page, 'mcp-names-light');
    await web.page.locator('.step-header').click();
    expect(await web.page.locator('.step-header').innerText()).toContain('everything.get-sum');
    expect(await web.page.getByText('00817045d145').count()).toBe(0);
  });

  it('show invisible characters of their arguments in the approval', async () => {
    const turn = web.gateway.accept('charges', 'Send it', 'm1').start().say();
    turn.ask({
      tool: 'files.send',
      args: { ['to\u200b']: 'invoice\u202efdp.exe', list: ['a\u2066b'] },
      source: 'mcp',
      state: 'awaiting_approval',
    });
    await web.open('#/c/charges');
    await web.seen('Run files.send?');
    const card = await web.page.locator('.ask').innerText();
    expect(card).toContain('to\\u200b');
    expect(card).toContain('"invoice\\u202efdp.exe"');
    expect(card).toContain('["a\\u2066b"]');
    await takePicture(web.page, 'approval-unseen-light');
    await web.page.locator('.call-row').click();
    await web.seen('list: ');
    const page = await web.page.locator('.call').innerText();
    expect(page).not.toMatch(/[\u200b\u202e\u2066]/u);
  });

  it('are listed under their own names soon after their server connects', async () => {
    await web.openOnce();
    await web.seen('4 toolsets');
    await web.page.clock.install();
    await web.page.reload();
    await web.seen('4 toolsets');
    const tools = [aTool('everything', 'get-sum', 'everything.get_sum_00817045d145')];
    await web.page.route('**/api/tools', (route) => route.fulfill({ json: { tools } }));
    await web.page.clock.fastForward(10_000);
    await web.seen('1 toolset');
    await web.page.getByRole('button', { name: '1 toolset' }).click();
    await web.seen('get-sum');
    expect(await web.page.getByText('00817045d145').count()).toBe(0);
  });
});
