import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { usePageFixture } from './fixture.js';
import { seedConversations } from './scenes.js';

const web = usePageFixture();

/** How far the reader is from the end. */
const distance = () =>
  web.page.locator('.thread').evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight);
const isAtEnd = () => waitFor(async () => (await distance()) < 2, { what: 'the end' });

describe('the list in two windows', () => {
  it('has a new title in both at once', async () => {
    seedConversations(web.gateway);
    await web.open();
    const other = await web.page.context().newPage();
    await other.goto(web.gateway.url);
    await other.getByRole('link', { name: 'Recount by warehouse' }).waitFor();
    await web.page.getByRole('link', { name: 'Recount by warehouse' }).hover();
    await web.button('Rename or delete “Recount by warehouse”').click();
    await web.button('Rename').click();
    await web.page.getByLabel('New title').fill('Recounted');
    await web.page.keyboard.press('Enter');
    await other.getByRole('link', { name: 'Recounted' }).waitFor();
    await other.close();
  });
});

describe('the thread', () => {
  it('follows the end only while the reader is at the end', async () => {
    await web.open();
    await web.say('Long');
    const lines = (from: number) =>
      Array.from({ length: 60 }, (_, n) => `Paragraph ${from + n}`).join('\n\n');
    const one = (await web.turn(0)).start().say(lines(0));
    await waitFor(() => web.page.getByText('Paragraph 59', { exact: true }).isVisible(), {
      what: 'the text',
    });
    await isAtEnd();
    await web.page.locator('.thread').evaluate((el) => el.scrollTo(0, 100));
    await web.button('To the end').waitFor();
    one.stream(`\n\n${lines(60)}`);
    await web.page.getByText('Paragraph 119').waitFor({ state: 'attached' });
    expect(await web.page.locator('.thread').evaluate((el) => el.scrollTop)).toBe(100);
    await web.button('To the end').click();
    one.stream('\n\nThe last word');
    await isAtEnd();
  });

  it('loads earlier turns on request, without moving the text being read', async () => {
    const conversation = web.gateway.add('long', 'A long one');
    for (let number = 1; number <= 45; number++) {
      web.gateway
        .accept('long', `Question ${number}`, `m${number}`)
        .start()
        .say(`Answer ${number}`)
        .complete();
    }
    conversation.older = conversation.view.turns.slice(0, 25);
    conversation.view = { ...conversation.view, earlier: true, turns: conversation.view.turns.slice(25) };
    await web.open('#/c/long');
    await web.seen('Answer 45');
    expect(await web.page.getByText('Question 25', { exact: true }).count()).toBe(0);
    // The page goes there a frame after the text stands: who scrolled before would be taken along.
    await isAtEnd();
    await web.page.locator('.thread').evaluate((el) => el.scrollTo(0, 0));
    await web.button('To the end').waitFor();
    const place = () =>
      web.page.getByText('Question 26', { exact: true }).evaluate((el) => el.getBoundingClientRect().top);
    const before = await place();
    await web.button('Show earlier messages').click();
    await web.page.getByText('Question 6', { exact: true }).waitFor({ state: 'attached' });
    expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
    await web.button('Show earlier messages').click();
    await web.page.getByText('Question 1', { exact: true }).waitFor({ state: 'attached' });
    expect(await web.page.getByRole('button', { name: 'Show earlier messages' }).count()).toBe(0);
    expect(await web.page.locator('.turn').count()).toBe(45);
  });

  it('reports a conversation that does not exist', async () => {
    await web.open('#/c/nowhere');
    await web.seen('This conversation does not exist, or has been deleted.');
  });
});

describe('a conversation that is deleted elsewhere', () => {
  it('leaves the open page, which says so, and the list', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/recount');
    const turn = web.gateway.accept('recount', 'Count', 'm1').start().say('Counting');
    await web.seen('Counting');
    turn.sendDeleted();
    await web.seen('This conversation does not exist, or has been deleted.');
    expect(await web.page.getByText('Counting').count()).toBe(0);
    const row = web.page.getByRole('link', { name: /Recount by warehouse/ });
    await waitFor(async () => (await row.count()) === 0, { what: 'the row to go' });
  });
});

describe('the conversation list', () => {
  it('renames, deletes, filters and opens conversations', async () => {
    seedConversations(web.gateway);
    await web.open();
    const row = (name: string) => web.page.getByRole('listitem').filter({ hasText: name });
    await row('Rename SKUs').hover();
    await row('Rename SKUs').getByRole('button').click();
    await web.button('Rename').click();
    await web.page.getByLabel('New title').fill('Spring names');
    await web.page.getByLabel('New title').press('Enter');
    await waitFor(() => web.gateway.conversations.get('skus')?.summary.title === 'Spring names', {
      what: 'the new title',
    });
    await row('Recount by warehouse').getByRole('link').click();
    await web.page.getByRole('heading', { name: 'Recount by warehouse' }).waitFor();
    await row('Recount by warehouse').getByRole('button').click();
    await web.button('Delete').click();
    await web.seen(/Delete this conversation/);
    await web.button('Delete').click();
    await waitFor(() => !web.gateway.conversations.has('recount'), { what: 'the delete' });
    await web.seen('What needs doing?');
    await web.page.getByRole('searchbox').fill('spring');
    await waitFor(async () => (await web.page.locator('.conversation').count()) === 1, { what: 'one row' });
  });

  it('shows what runs in a conversation that is not open', async () => {
    seedConversations(web.gateway);
    await web.open('#/c/charges');
    const one = web.gateway.accept('charges', 'Work', 'm1').start().say('Working');
    await web.seen('Working');
    await web.page.getByRole('link', { name: /Recount by warehouse/ }).click();
    await web.page.getByRole('heading', { name: 'Recount by warehouse' }).waitFor();
    await web.page.getByRole('link', { name: /Double charges.*running/ }).waitFor();
    one.complete();
    await web.page.getByRole('link', { name: 'Double charges on 19 Nov', exact: true }).waitFor();
  });
});
