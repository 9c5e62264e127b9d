import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { usePageFixture } from './page-fixture.js';

const web = usePageFixture();
/** Some seconds of counting: in the middle of it there is time for a page to be opened, also on a busy machine. */
const FAR = 500;
const countTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1).join(' ');

describe('a new user of the page', () => {
  it('asks a sum, sees the answer, and opens the call that made it', async () => {
    const tab = await web.open();
    await tab.seen('What needs doing?');
    await tab.takePicture('empty-light');
    await tab.say('what is 17 + 25?');
    await tab.reads('17 + 25 = 42');
    await tab.hasEnded(1);
    await tab.takePicture('answer-light');
    await tab.page.getByRole('button', { name: /Step 1.*1 call.*math\.add/ }).click();
    const row = tab.page.locator('.call-row');
    expect(await row.locator('.tag').innerText()).toBe('local');
    await row.click();
    const detail = tab.page.locator('.call-detail');
    await detail.waitFor();
    expect(await detail.locator('.payload', { hasText: 'Arguments' }).locator('li').allInnerTexts()).toEqual([
      'a: 17',
      'b: 25',
    ]);
    expect(await detail.locator('.payload', { hasText: 'Result' }).locator('.payload-box').innerText()).toBe(
      '42',
    );
    await tab.takePicture('tool-open-light');
    await tab.page.emulateMedia({ colorScheme: 'dark' });
    await tab.takePicture('tool-open-dark');
    await tab.page.getByRole('link', { name: 'what is 17 + 25?' }).waitFor();
  });

  it('can click an example, gets parallel calls in one step, and can continue writing', async () => {
    const tab = await web.open();
    await tab.page.getByRole('button', { name: /12 × 12 and 3 \+ 4/ }).click();
    await tab.isFocused(tab.composer);
    await tab.reads('12 × 12 = 144');
    await tab.hasEnded(1);
    await tab.page.getByRole('button', { name: /Step 1.*2 calls in parallel/ }).click();
    expect(await tab.page.locator('.call-row').count()).toBe(2);
    await tab.takePicture('parallel-light');
  });

  it('searches the documents and sees the passages', async () => {
    const tab = await web.open();
    await tab.page.getByRole('button', { name: /Search the documents/ }).click();
    await tab.reads('Source: side-effects.md');
    await tab.hasEnded(1);
    await tab.page.getByRole('button', { name: /Step 1.*knowledge\.rag_search/ }).click();
    await tab.page.locator('.call-row').click();
    await tab.page.locator('.call-detail').getByText('Knowledge Base Search Results').waitFor();
    await tab.takePicture('search-open-light');
  });
});

describe('an answer on the page', () => {
  it('is the same in every tab, even in one that joins in mid-stream', async () => {
    const ann = await web.open();
    await ann.say('hello');
    await ann.hasEnded(1);
    const bob = await web.duplicate(ann);
    await bob.seen('built-in demo model');
    await ann.say(`count to ${FAR}`);
    const early = await bob.reads('1 2 3');
    expect(early).not.toContain(`${FAR}`);
    const late = await web.open(new URL(bob.page.url()).hash);
    expect(await late.reads('1 2 3')).toMatch(/^1 2 3 /);
    await late.takePicture('streaming-light');
    const tabs = [ann, bob, late];
    await Promise.all(tabs.map((tab) => tab.hasEnded(2)));
    for (const tab of tabs) {
      expect(await tab.lastTurn.locator('.prose').allInnerTexts()).toEqual([countTo(FAR)]);
      expect(await tab.ownMessages()).toEqual(['hello', `count to ${FAR}`]);
    }
  });

  it('shows the model’s thinking to present viewers only, and not later', async () => {
    const tab = await web.open();
    await tab.say('think about 6 times 7');
    await tab.reads('6 × 7 = 42');
    await tab.hasEnded(1);
    await tab.page.getByRole('button', { name: 'Thought' }).click();
    expect(await tab.page.locator('.aside-text').innerText()).toBe('This needs tools: math__multiply.');
    await tab.takePicture('thought-light');
    await tab.page.reload();
    await tab.hasEnded(1);
    expect(await tab.page.locator('.aside-note').count()).toBe(0);
  });

  it('shows a formatted answer once, as the list of messages does', async () => {
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(`${web.process.url}/api/conversations${path}`, init)).json() as Promise<{
        id: string;
      }>;
    };
    const { id } = await post('', { title: 'Sums' });
    const tab = await web.open(`#/c/${id}`);
    await post(`/${id}/turns`, { content: 'what is 17 + 25?', options: { formatter: true } });
    await tab.hasEnded(1);
    const messages = await fetch(`${web.process.url}/api/conversations/${id}/messages`);
    const said = ((await messages.json()) as { role: string; content: string }[])
      .filter(({ role }) => role === 'assistant')
      .map(({ content }) => content);
    expect(said).toEqual(['I will add 17 and 25.', '17 + 25 = **42**']);
    const shown = () => tab.lastTurn.locator('.prose').allInnerTexts();
    expect(await shown()).toEqual(['I will add 17 and 25.', '17 + 25 = 42']);
    await tab.page.reload();
    await tab.hasEnded(1);
    expect(await shown()).toEqual(['I will add 17 and 25.', '17 + 25 = 42']);
    await tab.takePicture('formatted-light');
  });

  it('continues after a reload in mid-stream', async () => {
    const tab = await web.open();
    await tab.say(`count to ${FAR}`);
    await tab.reads('1 2 3');
    await tab.page.reload();
    expect(await tab.reads('1 2 3')).not.toContain(`${FAR}`);
    await tab.hasEnded(1);
    expect(await tab.lastTurn.locator('.prose').allInnerTexts()).toEqual([countTo(FAR)]);
    expect(await tab.ownMessages()).toEqual([`count to ${FAR}`]);
  });
});

describe('Stop', () => {
  for (const way of ['the button', 'Esc'] as const) {
    it(`by ${way} keeps the partial text, and the next message works`, async () => {
      const tab = await web.open();
      await tab.say('count slowly to 2000');
      await tab.reads('1 2 3');
      if (way === 'Esc') await tab.page.keyboard.press('Escape');
      else await tab.button('Stop').click();
      await tab.seen(/^Stopped at \d\d:\d\d:\d\d\./);
      expect(await tab.lastTurn.locator('.prose').innerText()).toMatch(/^1 2 3/);
      await tab.say('say goodbye');
      await tab.reads('goodbye');
      await tab.hasEnded(2);
      await tab.takePicture(`stopped-${way === 'Esc' ? 'esc' : 'button'}-light`);
      await tab.page.reload();
      await tab.hasEnded(2);
      expect(await tab.page.locator('.turn').first().locator('.prose').innerText()).toMatch(/^1 2 3/);
    });
  }
});

describe('a second message while a turn runs', () => {
  it('is queued, can be removed, and is answered in its turn', async () => {
    const tab = await web.open();
    await tab.say('count slowly to 2000');
    await tab.reads('1 2 3');
    await tab.say('say two');
    await tab.say('say three');
    const rows = tab.tray.getByRole('listitem');
    await waitFor(async () => (await rows.count()) === 2, { what: 'two in line' });
    await tab.takePicture('queue-light');
    await rows.filter({ hasText: 'say two' }).getByRole('button', { name: 'Remove' }).click();
    await waitFor(async () => (await rows.count()) === 1, { what: 'one in line' });
    await tab.button('Stop').click();
    await tab.reads('three');
    await tab.hasEnded(3);
    await tab.takePicture('queue-after-light');
    expect(await tab.tray.count()).toBe(0);
  });
});

describe('the list of conversations on the page', () => {
  it('renames and deletes', async () => {
    const tab = await web.open();
    await tab.say('say something to rename');
    await tab.hasEnded(1);
    const other = await web.duplicate(tab);
    await tab.button('Rename or delete “say something to rename”').last().click();
    await tab.button('Rename').click();
    await tab.page.getByLabel('New title').fill('A better name');
    await tab.page.getByLabel('New title').press('Enter');
    await tab.page.getByRole('link', { name: 'A better name' }).waitFor();
    await tab.page.getByRole('heading', { name: 'A better name', level: 1 }).waitFor();
    await other.page.reload();
    await other.page.getByRole('link', { name: 'A better name' }).click();
    await tab.button('Rename or delete “A better name”').last().click();
    await tab.button('Delete').click();
    await tab.takePicture('delete-light');
    await tab.button('Delete').click();
    await tab.seen('What needs doing?');
    await tab.page.getByRole('link', { name: 'A better name' }).waitFor({ state: 'detached' });
    await other.page.reload();
    await other.seen('This conversation does not exist, or has been deleted.');
    expect(await other.composer.count()).toBe(0);
    await other.takePicture('deleted-light');
    await other.button('Start a new one').click();
    await other.seen('What needs doing?');
  });
});
