import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConversationEvent } from '#contracts';
import { waitFor } from '../services/wait-for.js';
import { takePicture } from './browser.js';
import type { FakeTurn } from './fake-turn.js';
import { usePageFixture } from './fixture.js';
import { seedConversations } from './scenes.js';

const web = usePageFixture();
beforeEach(() => seedConversations(web.gateway));

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Enough of a token for the page, which proves nothing: it only reads whom it names. */
const tokenOf = (sub: string) => `x.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.x`;

function refund(order_id: string, amount: number, more: Record<string, unknown> = {}) {
  const args = { order_id, amount, currency: 'EUR', reason: 'Charged twice on 19 November', ...more };
  return { tool: 'orders.refund', args, source: 'mcp', state: 'awaiting_approval' } as const;
}

/** Three calls of one tool and one of another wait, one runs. */
function askForRefunds(): FakeTurn {
  const turn = web.gateway.accept('charges', 'Refund the three customers who wrote in.', 'm1').start();
  turn.say("I'll refund the second charge of each order.").ask(
    refund('A-48213', 129),
    refund('A-48220', 64.5),
    refund('A-48277', 129, { note: 'a friend of the house' }),
    {
      tool: 'mail.send',
      args: { to: 'ops@halden.example' },
      source: 'mcp',
      state: 'awaiting_approval',
    },
    { tool: 'warehouse.hold', args: { order: 'A-48277' }, source: 'mcp' },
  );
  return turn.run(4);
}

function answer(turn: FakeTurn, index: number, decision: 'approve' | 'deny', by = 'local'): void {
  const { tool_call_id } = turn.call(index);
  const place = { conversation_id: turn.conversationId, turn_id: turn.turnId };
  const timestamp = web.gateway.now();
  const event: ConversationEvent = {
    type: 'approval_answered',
    ...place,
    timestamp,
    tool_call_id,
    by,
    decision,
  };
  web.gateway.publish(event);
}

const row = (text: RegExp) => web.page.locator('.call-row').filter({ hasText: text });

describe('several calls that wait for approval in one step', () => {
  for (const [name, options] of [
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', { ...phone, colorScheme: 'light' as const }],
    ['narrow', { colorScheme: 'light' as const, viewport: { width: 1200, height: 900 } }],
  ] as const) {
    it(`show all their arguments, ${name}`, async () => {
      askForRefunds();
      await web.open('#/c/charges', options);
      await web.seen('Run orders.refund?');
      const lines = await web.page.locator('.ask-line > code').allInnerTexts();
      expect(lines).toEqual([
        'order_id: "A-48220", amount: 64.5, rest as above',
        'order_id: "A-48277", note: "a friend of the house", rest as above',
        'to: "ops@halden.example"',
      ]);
      expect(await web.page.locator('.ask .button-main').count()).toBe(1);
      // Also while another call of the step runs.
      await web.page
        .locator('.conversation', { hasText: 'Double charges' })
        .getByText('Needs you')
        .waitFor({
          state: name === 'phone' ? 'detached' : 'visible',
        });
      await takePicture(web.page, `approvals-${name}`);
      expect(await web.page.evaluate('document.documentElement.scrollWidth')).toBe(
        await web.page.evaluate('window.innerWidth'),
      );
    });
  }

  it('never hide behind "rest as above" that one of them lacks an argument', async () => {
    const turn = web.gateway.accept('charges', 'Refund', 'm1').start().say();
    turn.ask(refund('A-1', 5, { note: 'n' }), refund('A-2', 5));
    await web.open('#/c/charges');
    await web.seen('order_id: "A-2", amount: 5, currency: "EUR", reason: "Charged twice on 19 November"');
  });

  it('are approved together, per tool, or one by one', async () => {
    const turn = askForRefunds();
    await web.open('#/c/charges');
    await web.button('Approve all 3 calls of orders.refund').press('Enter');
    await waitFor(() => web.gateway.approvals.length === 3, { what: 'three approvals' });
    expect(web.gateway.approvals.map(({ tool_call_id, decision }) => [tool_call_id, decision])).toEqual(
      [0, 1, 2].map((index) => [turn.call(index).tool_call_id, 'approve']),
    );
    await web.isFocused(web.page.locator('.step-header'));
    for (const index of [0, 1, 2]) answer(turn, index, 'approve');
    await web.seen('Run mail.send?');
    expect(await web.page.getByRole('button', { name: /Approve all/ }).count()).toBe(0);
    expect(
      await row(/refund/)
        .filter({ hasText: 'Approved by you.' })
        .count(),
    ).toBe(3);
  });

  it('are answered with the keyboard while the focus stays in the row', async () => {
    const turn = askForRefunds();
    await web.open('#/c/charges');
    await web.seen('Run orders.refund?');
    await web.composer().press('Shift+Tab');
    await web.page.keyboard.press('g');
    await web.isFocused(web.page.locator('.ask .button-main'));
    await web.page.keyboard.press('Enter');
    await waitFor(() => web.gateway.approvals.length === 1, { what: 'the approval' });
    answer(turn, 0, 'approve');
    await web.isFocused(row(/A-48213/));
    await web.page.keyboard.press('g');
    await web.isFocused(web.page.locator('.ask .button-main'));
    await web.page.keyboard.press('Shift+Tab');
    await web.page.keyboard.press('Enter');
    await waitFor(() => web.gateway.approvals[1]?.decision === 'deny', { what: 'the denial' });
    answer(turn, 1, 'deny');
    await web.isFocused(row(/A-48220/));
  });
});

describe('an approval request', () => {
  it('shows the name of the other person who answered it, or "you"', async () => {
    web.gateway.token = tokenOf('ann');
    const turn = askForRefunds();
    await web.open('#/c/charges');
    await web.page.getByLabel('Token').fill(web.gateway.token);
    await web.page.keyboard.press('Enter');
    await web.seen('Run orders.refund?');
    answer(turn, 0, 'approve', 'bob');
    answer(turn, 1, 'deny', 'ann');
    turn.run(0).fail(1, { type: 'PermissionError', message: 'A person (ann) denied this call.' }, 0);
    await row(/A-48213/)
      .getByText('Approved by bob.')
      .waitFor();
    const denied = row(/A-48220/);
    await denied.getByText('Denied by you. It did not run.').waitFor();
    await denied.getByText('Not allowed').waitFor();
    turn.succeed(0, 'refunded', 40);
    await row(/A-48213/)
      .getByText('Done on')
      .waitFor();
    expect(
      await row(/A-48213/)
        .getByText('Approved by bob.')
        .count(),
    ).toBe(1);
    await takePicture(web.page, 'approval-answered-light');
  });

  it('says in place that someone has already answered it', async () => {
    const turn = askForRefunds();
    web.gateway.refuseApprovals = {
      code: 'already_answered',
      message: 'Someone has already answered this.',
    };
    await web.open('#/c/charges');
    await web.page.locator('.ask .button-main').click();
    await web.page.locator('.ask').getByText('Someone has already answered this.').waitFor();
    answer(turn, 0, 'deny', 'bob');
    await row(/A-48213/)
      .getByText('Denied by bob.')
      .waitFor();
  });

  it('is announced every time, also when it is the second one of a turn', async () => {
    const turn = web.gateway.accept('charges', 'Refund', 'm1').start().say();
    await web.open('#/c/charges');
    await web.page.locator('.turn').waitFor();
    const status = web.page.getByRole('status');
    turn.ask(refund('A-1', 5));
    await status.getByText('The answer waits for you.').waitFor();
    answer(turn, 0, 'approve');
    await waitFor(async () => (await status.innerText()) === '', { what: 'silence' });
    turn.run(0).succeed(0, 'ok', 5).say().ask(refund('A-2', 5));
    await status.getByText('The answer waits for you.').waitFor();
  });
});

describe('queued messages', () => {
  for (const [name, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['phone', phone],
  ] as const) {
    it(`show their place in line, and removed ones as removed, ${name}`, async () => {
      await web.open('#/c/stock', options);
      const first = web.gateway.accept('stock', 'First', 'm1').start().say('Working on it');
      await web.seen('Working on it');
      const second = web.gateway.accept('stock', 'Second', 'm2');
      web.gateway.accept('stock', 'Third', 'm3');
      const tray = web.page.getByRole('region', { name: 'Messages waiting in line' });
      await tray.getByRole('listitem').filter({ hasText: 'Third' }).getByText('2nd in line').waitFor();
      await takePicture(web.page, `line-${name}`);
      second.cancel();
      await tray.getByRole('listitem').filter({ hasText: 'Third' }).getByText('1st in line').waitFor();
      first.complete();
      const removed = web.page.locator('.turn').filter({ hasText: 'Second' });
      await removed.getByText(/^Removed at .*, before its turn came\.$/).waitFor();
      expect(await web.page.getByText(/Stopped/).count()).toBe(0);
      await takePicture(web.page, `removed-${name}`);
    });
  }
});

describe('the conversation list', () => {
  it('marks conversations that wait for the person, and names unnamed ones by their first message', async () => {
    web.gateway.conversations.get('skus')!.summary.status = 'awaiting_input';
    web.gateway.conversations.get('stock')!.summary.status = 'running';
    Object.assign(web.gateway.conversations.get('recount')!.summary, {
      title: 'New Conversation',
      opening: 'Recount the shelves, please',
    });
    await web.open();
    const item = (text: string) => web.page.locator('.conversation').filter({ hasText: text });
    await item('Rename SKUs').getByText('Needs you').waitFor();
    await item('Nightly stock').getByText('running').waitFor({ state: 'attached' });
    await item('Recount the shelves, please').waitFor();
    expect(await web.page.getByText('New Conversation', { exact: true }).count()).toBe(0);
    await takePicture(web.page, 'list-marks-light');
  });
});

describe('tool names', () => {
  it('are shown in full while the panel is open in a window of 1,200 px', async () => {
    const turn = web.gateway.accept('charges', 'Multiply', 'm1').start().say();
    turn.ask(
      { tool: 'math.multiply', args: { a: 6, b: 7 } },
      { tool: 'knowledge.rag_search', args: { q: 'x' } },
    );
    turn.run(0).succeed(0, '42', 3).run(1);
    await web.open('#/c/charges', { viewport: { width: 1200, height: 800 } });
    await web.seen('Tools and usage');
    await row(/multiply/).waitFor();
    await takePicture(web.page, 'names-1200-light');
    for (const name of await web.page.locator('.call-name').all()) {
      const [shown, whole] = await name.evaluate((element) => [element.clientWidth, element.scrollWidth]);
      expect(whole).toBeLessThanOrEqual(shown);
    }
  });
});

describe('a signed-out page', () => {
  it('sends no more requests, including those that were due', async () => {
    web.gateway.token = tokenOf('ann');
    await web.open('#/c/charges');
    await web.page.getByLabel('Token').fill(web.gateway.token);
    await web.page.keyboard.press('Enter');
    await web.seen('Rename SKUs');
    const nameless: string[] = [];
    web.page.on('request', (request) => {
      const isAsked = request.url().includes('/api/');
      if (isAsked && !('authorization' in request.headers())) nameless.push(request.url());
    });
    // The end of a turn makes the page read its list again, soon.
    const turn = web.gateway.accept('charges', 'One', 'm1').start().say('One.');
    await web.seen('One.');
    turn.complete();
    web.gateway.expireToken('charges');
    await web.seen('Your token has expired.');
    await web.page.getByLabel('Token').fill(web.gateway.token);
    const listed = web.page.waitForResponse((response) => response.url().includes('/api/conversations?'));
    // A timer of the page that is set later and lasts longer than the one before the list is read.
    await web.page.evaluate('new Promise((resolve) => setTimeout(resolve, 400))');
    await web.page.keyboard.press('Enter');
    await listed;
    expect(nameless).toEqual([]);
  });
});
