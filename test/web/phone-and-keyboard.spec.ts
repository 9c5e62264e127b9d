import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';
import { seedConversations } from './scenes.js';

const web = usePageFixture();

/** Edits a message that waits in line: one that can be taken back. */
const edit = (text: string) =>
  web.page
    .getByRole('region', { name: 'Messages waiting in line' })
    .getByRole('listitem')
    .filter({ hasText: text })
    .getByRole('button', { name: 'Edit' });

describe('the page on a phone', () => {
  it('has drawers, targets of 44 px and no sideways scrolling', async () => {
    seedConversations(web.gateway);
    const question = web.gateway
      .accept('charges', 'Work', 'm1')
      .start()
      .say(`A long word: ${'x'.repeat(300)}`);
    question.ask({ tool: 'filesystem.read_a_file_with_a_long_name', args: { path: 'x'.repeat(200) } }).run(0);
    await web.open('#/c/charges', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await web.seen('Running');
    expect(await web.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    for (const target of await web.page
      .locator('.call-row, .step-header, .send, .main-bar .icon-button')
      .all()) {
      expect((await target.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    }
    await web.button('Show conversations').tap();
    await web.page.getByRole('link', { name: 'Recount by warehouse' }).tap();
    await web.page.getByRole('heading', { name: 'Recount by warehouse' }).waitFor();
    expect(await web.page.getByRole('complementary').count()).toBe(0);
    await web.button('Tools and usage').tap();
    await web.seen('filesystem');
    await web.page.keyboard.press('Escape');
    await waitFor(async () => (await web.page.getByRole('complementary').count()) === 0, {
      what: 'no drawer',
    });
  });
});

describe('a screen that is touched', () => {
  const touched = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

  it('begins a line with Enter, and sends with the button', async () => {
    await web.open('', touched);
    await web.composer().tap();
    await web.page.keyboard.type('one');
    await web.page.keyboard.press('Enter');
    await web.page.keyboard.type('two');
    await web.button('Send').tap();
    await web.turn(0);
    expect(web.gateway.messages.map(({ content }) => content)).toEqual(['one\ntwo']);
    expect(await web.page.getByText('Enter sends').count()).toBe(0);
  });

  it('offers the menu of every conversation in the list', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges', touched);
    await web.button('Show conversations').tap();
    await web.button('Rename or delete “Recount by warehouse”').tap();
    await web.button('Rename').tap();
    await web.page.getByLabel('New title').fill('Recounted');
    await web.page.keyboard.press('Enter');
    await web.page.getByRole('link', { name: 'Recounted' }).waitFor();
    await takePicture(web.page, 'phone-list');
  });
});

describe('the keyboard', () => {
  it('is in the message field of a page that was opened, and one stop from it', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges');
    await web.isFocused(web.composer());
    await web.page.reload();
    await web.isFocused(web.composer());
    await web.button('Hide conversations').focus();
    await web.page.keyboard.press('Shift+Tab');
    await web.isFocused(web.button('To the message field'));
    await takePicture(web.page, 'skip-link');
    await web.page.keyboard.press('Enter');
    await web.isFocused(web.composer());
    await web.page.getByRole('link', { name: 'Recount by warehouse' }).press('Enter');
    await web.page.getByRole('heading', { name: 'Recount by warehouse' }).waitFor();
    await web.isFocused(web.composer());
  });

  it('stays near a conversation that is deleted', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges');
    const remove = async (title: string) => {
      await web.page.getByRole('link', { name: title }).focus();
      await web.page.keyboard.press('Tab');
      await web.page.keyboard.press('Enter');
      await web.button('Delete').press('Enter');
      await web.button('Delete').press('Enter');
      await web.page.getByRole('link', { name: title }).waitFor({ state: 'detached' });
    };
    await remove('Nightly stock reconciliation');
    await web.isFocused(web.page.getByRole('link', { name: 'Recount by warehouse' }));
  });

  it('stops a turn with Esc, with a second one where a message is being written', async () => {
    await web.open();
    await web.say('Work');
    (await web.turn(0)).start().say('Working');
    await web.seen('Working');
    await web.page.keyboard.type('Next');
    await web.seen('Esc twice stops');
    await web.page.keyboard.press('Escape');
    expect(web.gateway.stops).toEqual([]);
    await web.page.keyboard.press('Escape');
    await waitFor(() => web.gateway.stops.length === 1, { what: 'the stop' });
    expect(await web.composer().inputValue()).toBe('Next');
  });

  it('reaches every function', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges');
    await web.seen('Rename SKUs');
    await web.page.keyboard.press('Alt+n');
    await web.seen('What needs doing?');
    await web.isFocused(web.composer());
    await web.page.keyboard.type('Refund it');
    await web.page.keyboard.press('Shift+Enter');
    await web.page.keyboard.type('please');
    await web.page.keyboard.press('Enter');
    const one = (await web.turn(0)).start().say('Two calls.');
    expect(web.gateway.messages[0]?.content).toBe('Refund it\nplease');
    one.ask(
      { tool: 'orders.get', args: { id: 'A-1' }, source: 'mcp' },
      { tool: 'orders.refund', args: { id: 'A-1', amount: 129 }, source: 'mcp', state: 'awaiting_approval' },
    );
    await web.seen('Waiting for you');
    await web.isFocused(web.composer());
    await web.page.keyboard.press('Shift+Tab');
    for (let press = 0; press < 3; press++) await web.page.keyboard.press('k');
    await web.page.keyboard.press('j');
    await web.isFocused(web.page.getByRole('button', { name: /orders\.get/ }));
    await web.page.keyboard.press('Enter');
    expect(await web.page.getByRole('button', { name: /orders\.get/ }).getAttribute('aria-expanded')).toBe(
      'true',
    );
    await web.page.keyboard.press('g');
    await web.isFocused(web.button('Approve'));
    await web.page.keyboard.press('Enter');
    await waitFor(() => web.gateway.approvals[0]?.decision === 'approve', { what: 'the approval' });
    await web.page.keyboard.press('k');
    await web.page.keyboard.press('?');
    await web.page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await web.page.keyboard.press('Escape');
    expect(web.gateway.stops).toEqual([]);
    await web.page.keyboard.press('Control+k');
    await web.isFocused(web.page.getByRole('searchbox'));
    await web.page.keyboard.press('Alt+t');
    await waitFor(
      async () => !(await web.page.getByRole('heading', { name: 'Tools and usage' }).isVisible()),
      {
        what: 'no panel',
      },
    );
  });

  it.each(['shown', 'hidden'])(
    'starts a search with the first letter after Ctrl+K, with the list %s',
    async (list) => {
      await web.open();
      await web.say('Work');
      (await web.turn(0)).start().say('Working');
      await web.seen('Working');
      if (list === 'hidden') await web.button('Hide conversations').click();
      await web.page.locator('textarea').focus();
      // As on a busy machine, which draws no picture for a while.
      await web.page.evaluate('window.requestAnimationFrame = () => 0');
      await web.page.keyboard.press('Control+k');
      await web.page.keyboard.type('zzz');
      expect(await web.page.getByRole('searchbox').inputValue()).toBe('zzz');
    },
  );

  it('clears the search with Esc and stops nothing', async () => {
    await web.open();
    await web.say('Work');
    (await web.turn(0)).start().say('Working');
    await web.seen('Working');
    await web.page.keyboard.press('Control+k');
    await web.page.keyboard.type('zzz');
    await web.seen('No title has these letters.');
    await web.page.keyboard.press('Escape');
    expect(await web.page.getByRole('searchbox').inputValue()).toBe('');
    expect(web.gateway.stops).toEqual([]);
  });

  it('keeps the focus on the button that was Stop', async () => {
    await web.open();
    await web.say('Work');
    const one = (await web.turn(0)).start().say('Working');
    await web.button('Stop').press('Enter');
    await waitFor(() => web.gateway.stops.length === 1, { what: 'stop' });
    one.cancel();
    await web.button('Send').waitFor();
    await web.isFocused(web.button('Send'));
  });

  it('returns a queued message to the input with ↑', async () => {
    await web.open();
    await web.say('First');
    (await web.turn(0)).start().say('Working');
    await web.seen('Working');
    await web.say('Secnd');
    const second = await web.turn(1);
    await edit('Secnd').waitFor();
    await web.page.keyboard.press('ArrowUp');
    expect(await web.composer().inputValue()).toBe('Secnd');
    await waitFor(() => web.gateway.stops[0] === second.turnId, { what: 'stop of the old one' });
  });

  it('returns no earlier message with ↑ while the last one is being sent', async () => {
    await web.open();
    await web.say('First');
    (await web.turn(0)).start().say('Working');
    await web.seen('Working');
    let arrive = (): void => undefined;
    web.gateway.onMessage = (_message, _ack, answer) => (arrive = answer);
    await web.say('Secnd');
    await waitFor(() => web.gateway.messages.length === 2, { what: 'the second message' });
    await web.page.keyboard.press('ArrowUp');
    expect(await web.composer().inputValue()).toBe('');
    arrive();
    await edit('Secnd').waitFor();
    await web.page.keyboard.press('ArrowUp');
    expect(await web.composer().inputValue()).toBe('Secnd');
    await waitFor(() => web.gateway.stops[0] === web.gateway.turn(1)?.turnId, { what: 'its stop' });
  });

  it('returns an unsent message to the input with ↑', async () => {
    await web.open();
    await web.say('First');
    (await web.turn(0)).start().say('Working');
    await web.seen('Working');
    web.gateway.cutOff();
    await web.seen(/Reconnecting/);
    await web.say('Secnd');
    await edit('Secnd').waitFor();
    await web.page.keyboard.press('ArrowUp');
    expect(await web.composer().inputValue()).toBe('Secnd');
    await edit('Secnd').waitFor({ state: 'detached' });
    expect(web.gateway.messages).toHaveLength(1);
  });

  it('always has a visible focus', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges');
    await web.seen('Rename SKUs');
    await web.button('To the message field').focus();
    for (let press = 0; press < 12; press++) {
      await web.page.keyboard.press('Tab');
      const width = await web.page.evaluate(
        "(() => { const el = document.activeElement; const ring = [el, el.closest('.search-box, .composer')].find((one) => one && getComputedStyle(one).outlineStyle !== 'none'); return ring ? parseFloat(getComputedStyle(ring).outlineWidth) : 0; })()",
      );
      expect(width).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('the page frame', () => {
  it('asks for a token when the server requires one, and keeps it for the tab', async () => {
    web.gateway.token = 'good-token';
    await web.open();
    await web.page.getByLabel('Token').fill('wrong');
    await web.page.keyboard.press('Enter');
    await web.page.getByLabel('Token').waitFor();
    await takePicture(web.page, 'sign-in');
    await web.page.getByLabel('Token').fill('good-token');
    await web.page.keyboard.press('Enter');
    await web.seen('4 toolsets');
    await web.page.reload();
    await web.seen('4 toolsets');
    await web.button('Sign out').click();
    await web.page.getByLabel('Token').waitFor();
  });

  it('follows the system theme until one is picked, and keeps the choice', async () => {
    await web.open('', { colorScheme: 'light' });
    const background = () =>
      web.page.evaluate('getComputedStyle(document.querySelector("main")).backgroundColor');
    await web.button('Theme: as the system').waitFor();
    expect(await background()).toBe('rgb(255, 255, 255)');
    await web.button('Theme: as the system').click();
    await web.button('Theme: light').click();
    await web.button('Theme: dark').waitFor();
    expect(await background()).toBe('rgb(17, 20, 21)');
    await web.page.reload();
    await web.button('Theme: dark').waitFor();
    expect(await background()).toBe('rgb(17, 20, 21)');
  });

  it('announces politely when a turn starts and ends, but not its text', async () => {
    await web.open();
    const status = web.page.getByRole('status');
    await web.say('Go');
    const one = await web.turn(0);
    await web.page.locator('.turn').waitFor();
    one.start();
    await status.getByText('The answer has started.').waitFor();
    one.say('Done.').complete();
    await status.getByText('The answer is complete.').waitFor();
    expect(await web.page.locator('[aria-live], [role="status"]').count()).toBe(1);
  });
});
