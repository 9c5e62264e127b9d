import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';

const web = usePageFixture();

describe('a turn', () => {
  it('shows the message, the streamed text, a tool card and the figures', async () => {
    await web.open();
    await web.say('What is 17 + 25?');
    await web.seen('What is 17 + 25?');
    const one = await web.turn(0);
    await waitFor(() => new URL(web.page.url()).hash === `#/c/${one.conversationId}`, {
      what: 'the address',
    });
    one.start().say('I add ').stream('them up.');
    await web.seen('I add them up.');
    one.ask({ tool: 'math.add', args: { a: 17, b: 25 } }).run(0);
    await web.seen('Running');
    one.succeed(0, '42', 12).say('It is **42**.');
    await web.page.locator('strong', { hasText: '42' }).waitFor();
    one.complete();
    await web.seen('2 steps, 1 call');
    await web.seen('9,204 tokens');
    expect(await web.composer().inputValue()).toBe('');
    expect(await web.page.title()).toBe('What is 17 + 25? · Switchyard');
    await web.isFocused(web.composer());
    const { summary } = web.gateway.conversations.get(one.conversationId)!;
    await waitFor(() => summary.title === 'What is 17 + 25?', { what: 'the title' });
  });

  it('that ends while nobody looks is named in the tab until somebody does', async () => {
    await web.openOnce(
      '',
      'Object.defineProperty(document, "hidden", { get: () => window.isHidden === true })',
    );
    await web.say('What is 17 + 25?');
    const one = (await web.turn(0)).start();
    const look = (isHidden: boolean) =>
      web.page.evaluate(
        `window.isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const title = (text: string) =>
      waitFor(async () => (await web.page.title()) === text, { what: `the title "${text}"` });
    await look(true);
    one.say('It is 42.').complete();
    await title('Answer ready · What is 17 + 25? · Switchyard');
    await look(false);
    await title('What is 17 + 25? · Switchyard');
  });

  it('opens a call to show its arguments and its result', async () => {
    await web.open();
    await web.button(/What is 17 \+ 25/).click();
    (await web.turn(0))
      .start()
      .say()
      .ask({ tool: 'math.add', args: { a: 17, b: 25 } })
      .run(0)
      .succeed(0, '{"sum":42}', 12);
    const row = web.page.getByRole('button', { name: /math\.add/ });
    expect(await row.getAttribute('aria-expanded')).toBe('false');
    await row.click();
    expect(await row.getAttribute('aria-expanded')).toBe('true');
    await web.seen('sum:');
    await web.page.getByRole('button', { name: 'Copy result' }).waitFor();
  });

  it('says how long a queued call has waited, and how many are in line with it', async () => {
    await web.open();
    await web.say('Search.');
    const turn = await web.turn(0);
    turn
      .start()
      .say()
      .ask({ tool: 'web.search', args: { query: 'tea' } }, { tool: 'math.add', args: {} });
    const since = new Date(Date.now() - 75_000).toISOString();
    const { tool_call_id } = turn.call(0);
    const queue = { calls: 41, workers: 2, per_second: 0.8, estimate_ms: 51_250 };
    web.gateway.waiting = { reason: 'queued', text: '', since, step: 1, tool_call_id, queue };
    const row = web.page.getByRole('button', { name: /web\.search/ });
    await row.getByText('41 in line · 51 s').waitFor();
    await row.getByText(/^1 min 1\d s$/).waitFor();
    await takePicture(web.page, 'queued-call');
    const other = web.page.getByRole('button', { name: /math\.add/ });
    await other.getByText('Queued', { exact: true }).waitFor();
    turn.run(0);
    await row.getByText('Running').waitFor();
  });

  it('marks where earlier messages were summarised, and opens the summary', async () => {
    await web.open();
    await web.say('And now?');
    (await web.turn(0)).start().summarise('').summarise('They **like** tea.').say('Here you are.').complete();
    await web.seen('Earlier results were shortened to make room.');
    await web.seen('Here you are.');
    const strong = web.page.locator('strong', { hasText: 'like' });
    expect(await strong.isVisible()).toBe(false);
    await web.page.getByText('Earlier messages were summarised').click();
    await strong.waitFor();
  });

  it('shows a thinking call as a status, and a failed one as a call', async () => {
    await web.open();
    await web.say('Think about it');
    const think = (thoughtNumber: number, thought: string) => ({
      tool: 'thinking.sequentialthinking',
      args: { thought, thoughtNumber, totalThoughts: 3, nextThoughtNeeded: true },
      source: 'mcp' as const,
    });
    const one = (await web.turn(0)).start().say().ask(think(2, 'Tea is hot.'), think(4, 'Ice is not.'));
    one.run(0).run(1);
    await web.seen('Thought 2 of 3');
    await web.seen('Thought 4 of 4');
    expect(await web.page.getByText('Step 1').count()).toBe(0);
    await web.page.getByText('Thought 2 of 3').click();
    await web.seen('Tea is hot.');
    one
      .succeed(0, '{}', 1)
      .fail(1, { type: 'ApiLimitExceeded', message: 'Answer now with what you have.' }, 1);
    await web.page.getByRole('button', { name: /sequentialthinking/ }).waitFor();
    expect(await web.page.getByText('Thought 4 of 4').count()).toBe(0);
  });

  describe('with a result that is shown in part', () => {
    const whole = Array.from({ length: 450 }, (_, n) => `line number ${n + 1}`).join('\n');

    const open = async (result: string) => {
      await web.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
      await web.say('Read it');
      const one = (await web.turn(0)).start().say();
      one.ask({ tool: 'filesystem.read_file', args: { path: 'log' } });
      one.run(0).succeed(0, result, 12);
      const call = one.call(0);
      expect(call.truncated).toBe(true);
      web.gateway.uncutCalls.set(call.tool_call_id, { ...call, result, truncated: false });
      await web.page.getByRole('button', { name: /read_file/ }).click();
      return call;
    };

    it('loads it in full on request', async () => {
      await open(whole);
      await web.button('Show all of it').click();
      await web.seen('Lines 1–200 of 450');
      await web.button('Show 200 more').click();
      await web.button('Show 50 more').click();
      await web.seen('line number 450');
      expect(await web.page.getByText('Shown in part.').count()).toBe(0);
    });

    it('copies all of it, and says so when that cannot be read', async () => {
      const { tool_call_id } = await open(whole);
      await web.button('Copy result').click();
      await web.button('Copied').waitFor();
      expect(await web.page.evaluate('navigator.clipboard.readText()')).toBe(whole);
      web.gateway.uncutCalls.delete(tool_call_id);
      await web.button('Copy arguments').click();
      await web.button('Not copied').waitFor();
    });

    it('loads it by itself where it is JSON, which is no tree in part', async () => {
      await open(
        JSON.stringify({ items: Array.from({ length: 60 }, (_, n) => ({ n, text: 'x'.repeat(90) })) }),
      );
      await web.button(/items: \[60 items\]/).click();
      await web.button('40 more').click();
    });
  });

  describe('that asks the user a question', () => {
    const schema = {
      type: 'object',
      properties: {
        sender: {
          type: 'string',
          title: 'Sender',
          description: 'Whose name stands under it.',
          oneOf: [
            { const: 'care', title: 'Customer care' },
            { const: 'sales', title: 'Sales' },
          ],
        },
        reply_to: { type: 'string', title: 'Reply to', format: 'email' },
        day: { type: 'string', title: 'Send on', format: 'date' },
        copies: { type: 'integer', title: 'Copies', minimum: 1, maximum: 3, default: 2 },
        parts: {
          type: 'array',
          title: 'Parts',
          items: { type: 'string', enum: ['greeting', 'refund', 'voucher'] },
          default: ['greeting'],
          minItems: 1,
        },
        urgent: { type: 'boolean', title: 'Urgent' },
      },
      required: ['sender', 'copies'],
    };

    async function asked() {
      await web.open();
      await web.say('Write the apology');
      const one = (await web.turn(0))
        .start()
        .say('I draft it.')
        .ask({ tool: 'mail.draft', args: { to: 3 }, source: 'mcp' });
      one.run(0).question(0, 'who signs it?', schema);
      await web.seen('mail asks: who signs it?');
      return one;
    }

    it('shows it in place, and sends the answer with the types of the schema', async () => {
      const one = await asked();
      await web.page.getByLabel('Sender').selectOption('Sales');
      await web.page.getByLabel('Reply to').fill('care@example.com');
      await web.page.getByLabel('Send on').fill('2026-12-01');
      await web.page.getByLabel('voucher').check();
      await takePicture(web.page, 'question');
      await web.button('Answer').click();
      const answer = await waitFor(() => web.gateway.answers[0], { what: 'the answer' });
      expect(answer).toMatchObject({
        number: 1,
        content: {
          sender: 'sales',
          reply_to: 'care@example.com',
          day: '2026-12-01',
          copies: 2,
          parts: ['greeting', 'voucher'],
          urgent: false,
        },
      });
      one.answered(0, 'accept');
      await web.page.locator('form.ask').waitFor({ state: 'detached' });
      await web.isFocused(web.page.locator('.call-row'));
      one.question(0, 'and to whom?', { type: 'object', properties: { to: { type: 'string' } } }, 2);
      await web.seen('mail asks: and to whom?');
      await web.page.getByLabel('to (optional)').fill('Ann');
      await web.button('Answer').click();
      const second = await waitFor(() => web.gateway.answers[1], { what: 'the second answer' });
      expect(second).toMatchObject({ number: 2, content: { to: 'Ann' } });
    });

    it('is named in the tab', async () => {
      const one = await asked();
      const title = () => web.page.title();
      await waitFor(async () => (await title()) === 'Needs you · Write the apology · Switchyard', {
        what: 'the word',
      });
      one.answered(0, 'accept');
      await waitFor(async () => (await title()) === 'Write the apology · Switchyard', { what: 'no word' });
    });

    it('says that another call may be the one that asks, where its server does not say which', async () => {
      await web.open();
      await web.say('Write both');
      const one = (await web.turn(0)).start().say('I draft them.');
      one.ask(
        { tool: 'mail.draft', args: { to: 3 }, source: 'mcp' },
        { tool: 'mail.draft', args: { to: 4 }, source: 'mcp' },
      );
      one.run(0).run(1).question(0, 'who signs it?', schema, 1, { among: 2 });
      await web.seen('One of 2 calls of mail asks this; the server does not say which.');
      await web.page.reload();
      await web.seen('One of 2 calls of mail asks this; the server does not say which.');
    });

    it('shows a problem next to its field and keeps the input', async () => {
      await asked();
      await web.page.getByLabel('Reply to').fill('nobody');
      await web.page.getByLabel('Copies').fill('7');
      await web.page.getByLabel('greeting').uncheck();
      await web.page.getByLabel('voucher').check();
      await web.button('Answer').click();
      await web.isFocused(web.page.getByLabel('Sender'));
      await web.seen('Is required.');
      await web.seen('Must be an e-mail address.');
      await web.seen('Must be at most 3.');
      await takePicture(web.page, 'question-problems');
      expect(await web.page.getByLabel('Reply to').getAttribute('aria-invalid')).toBe('true');
      const described = (await web.page.getByLabel('Sender').getAttribute('aria-describedby'))!.split(' ');
      const texts = described.map((id) => web.page.locator(`[id="${id}"]`).innerText());
      expect(await Promise.all(texts)).toEqual(['Whose name stands under it.', 'Is required.']);
      expect(web.gateway.answers).toEqual([]);
      await web.page.getByLabel('Sender').selectOption('Customer care');
      await web.page.getByLabel('Reply to').fill('');
      await web.page.getByLabel('Copies').fill('1');
      await web.page.keyboard.press('Enter');
      const answer = await waitFor(() => web.gateway.answers[0], { what: 'the answer' });
      expect(answer.content).toEqual({ sender: 'care', copies: 1, parts: ['voucher'], urgent: false });
    });

    it('lets the user decline', async () => {
      const one = await asked();
      await web.button('Decline').click();
      const answer = await waitFor(() => web.gateway.answers[0], { what: 'the answer' });
      expect(answer).toMatchObject({ action: 'decline', number: 1 });
      expect(answer).not.toHaveProperty('content');
      one.answered(0, 'decline');
      await web.page.locator('form.ask').waitFor({ state: 'detached' });
    });
  });

  it('is complete again after a reload during the stream', async () => {
    await web.open();
    await web.say('Tell me');
    const one = (await web.turn(0)).start().say('Once upon ');
    await web.seen('Once upon');
    await web.page.reload();
    await web.seen('Once upon');
    one.stream('a time.').complete();
    await web.seen('Once upon a time.');
    await web.seen('1 step');
    expect(await web.page.getByText('Once upon').count()).toBe(1);
  });

  it('shows in place why it failed', async () => {
    await web.open();
    await web.say('Try');
    (await web.turn(0)).start().say('Half an ans').breakOff('The model did not answer after 5 tries.');
    await web.seen('The model did not answer after 5 tries.');
    await web.seen('Half an ans');
    await web.button('Try again').click();
    const again = await web.turn(1);
    expect(again.view.content).toBe('Try');
    expect(await web.button('Try again').count()).toBe(0);
  });

  it('says that it was cut off at the output limit, and continues', async () => {
    await web.open();
    await web.say('Tell all');
    const usage = { input_tokens: 1, output_tokens: 4_096, cached_tokens: 0 };
    (await web.turn(0)).start().say('Half an ans').complete(usage, 'max_tokens');
    await web.seen('Cut off at the output limit.');
    await takePicture(web.page, 'cut-off');
    await web.button('Continue').click();
    expect((await web.turn(1)).view.content).toBe('Continue.');
    await web.page.reload();
    await web.seen('Cut off at the output limit.');
  });

  it.each([
    ['', undefined, 'The model gave no answer.'],
    ['', 'max_tokens' as const, 'Cut off at the output limit.'],
    ['No', 'refusal' as const, 'The model refused to go on.'],
    ['So', 'context_overflow' as const, 'Cut off: the conversation is longer than the model can read.'],
  ])('that says %j and stops for %s is no whole answer', async (text, reason, shown) => {
    await web.open();
    await web.say('Tell all');
    (await web.turn(0)).start().say(text).complete(undefined, reason);
    await web.seen(shown);
    await web.button('Try again').click();
    expect((await web.turn(1)).view.content).toBe('Tell all');
  });
});

describe('Stop', () => {
  it('is a button while the turn runs, and then says what is known', async () => {
    await web.open();
    await web.say('Work');
    const one = (await web.turn(0))
      .start()
      .say('Working')
      .ask({ tool: 'mail.send', args: { to: 'a' } });
    await web.button('Stop').click();
    await waitFor(() => web.gateway.stops[0] === one.turnId, { what: 'stop' });
    one.fail(0, { type: 'Cancelled', message: 'stopped', details: { started: false } }, 0).cancel();
    await web.seen('Nothing of this turn is still running.');
    await web.seen('Never started');
    await web.button('Send').waitFor();
  });

  it('is the Esc key, and leaves a call that continues marked as running', async () => {
    await web.open();
    await web.say('Work');
    const one = (await web.turn(0))
      .start()
      .say('Working')
      .ask({ tool: 'mail.send', args: { to: 'a' } })
      .run(0);
    await web.seen('Running');
    await web.page.keyboard.press('Escape');
    await waitFor(() => web.gateway.stops.length === 1, { what: 'stop' });
    one.cancel();
    await web.seen(/1 call may still be running/);
  });
});

describe('a message written while a turn runs', () => {
  it('is queued, can be removed, and is answered in its turn', async () => {
    await web.open();
    await web.say('First');
    const first = (await web.turn(0)).start().say('Working on it');
    await web.seen('Working on it');
    await web.composer().fill('Second');
    await web.button('Send').click();
    await web.say('Third');
    const [second, third] = [await web.turn(1), await web.turn(2)];
    const tray = web.page.getByRole('region', { name: 'Messages waiting in line' });
    await tray.getByText('Third').waitFor();
    expect(await tray.getByRole('listitem').count()).toBe(2);
    await takePicture(web.page, 'queue');
    await tray
      .getByRole('listitem')
      .filter({ hasText: 'Second' })
      .getByRole('button', { name: 'Remove' })
      .click();
    await waitFor(() => web.gateway.stops[0] === second.turnId, { what: 'stop of the second' });
    second.cancel();
    await web.seen('before its turn came');
    first.complete();
    third.start().say('And the third.');
    await web.seen('And the third.');
    expect(await tray.count()).toBe(0);
  });
});

describe('hostile text', () => {
  const attack = [
    '<img src=x onerror="window.hit = 1">',
    '<script>window.hit = 1</script>',
    '[click](javascript:window.hit=1)',
    '![pixel](https://evil.example/pixel.png)',
    '<a href="javascript:window.hit=1">link</a>',
    '<svg onload="window.hit=1"></svg>',
    '<style>body { display: none }</style>',
  ].join('\n\n');

  it('stays text in messages, answers, arguments, results, errors and titles', async () => {
    web.gateway.add('bad', attack);
    await web.open('#/c/bad');
    await web.say(attack);
    const one = (await web.turn(0)).start().say(attack);
    one.ask(
      { tool: 'web.fetch', args: { [attack]: attack }, source: 'mcp' },
      { tool: 'web.fetch', args: {} },
    );
    one.run(0).succeed(0, attack, 5).run(1).fail(1, { type: attack, message: attack }, 5);
    one.say('End of attack').complete();
    await web.seen('End of attack');
    for (const row of await web.page.getByRole('button', { name: /web\.fetch/ }).all()) await row.click();
    await web.page.locator('.payload').first().waitFor();
    expect(await web.page.evaluate('window.hit')).toBeUndefined();
    expect(await web.page.locator('main img, main script, main style, main iframe').count()).toBe(0);
    expect(await web.page.locator('[href^="javascript:"], [onerror], [onload]').count()).toBe(0);
    for (const link of await web.page.locator('.prose a[href]').all()) {
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    }
    await takePicture(web.page, 'hostile');
  });
});
