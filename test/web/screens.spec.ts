import { beforeEach, describe, expect, it } from '@jest/globals';
import { takePicture } from './browser.js';
import { usePageFixture } from './fixture.js';
import { playFinishedTurn, playManyStates, playRunningTurn, seedConversations } from './scenes.js';

const web = usePageFixture();
beforeEach(() => seedConversations(web.gateway));

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('the page (screenshots)', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`shows a running turn in ${colorScheme}`, async () => {
      playRunningTurn(web.gateway);
      await web.open('#/c/charges', { colorScheme });
      await web.page.getByText('window shows the pattern').waitFor();
      await takePicture(web.page, `chat-${colorScheme}`);
    });

    it(`shows every state of a call in ${colorScheme}`, async () => {
      playManyStates(web.gateway);
      await web.open('#/c/stock', { colorScheme });
      await web.page.getByRole('button', { name: /CH-0417-OAK/ }).click();
      await web.page.getByText('adjustment_id').waitFor();
      await takePicture(web.page, `tools-${colorScheme}`);
      expect(await web.page.locator('.call-state').allInnerTexts()).toEqual(
        expect.arrayContaining(['Failed', 'May have run', 'Never started', 'Queued', 'Waiting for you']),
      );
    });

    it(`shows an empty page in ${colorScheme}`, async () => {
      await web.open('', { colorScheme });
      await web.page.getByText('Rename SKUs').waitFor();
      await takePicture(web.page, `empty-${colorScheme}`);
    });
  }

  it('shows a finished turn folded, and its calls on request', async () => {
    playFinishedTurn(web.gateway);
    await web.open('#/c/recount', { colorScheme: 'dark' });
    await web.page.getByRole('button', { name: /Step 1/ }).click();
    await web.page.getByRole('button', { name: /read_file/ }).click();
    await takePicture(web.page, 'results-dark');
  });

  it('fits a phone', async () => {
    playManyStates(web.gateway);
    await web.open('#/c/stock', phone);
    await web.page.getByText('Waiting for you').waitFor();
    await takePicture(web.page, 'phone');
    await web.page.getByRole('button', { name: 'Show conversations' }).tap();
    await web.page.getByText('Rename SKUs').waitFor();
    await takePicture(web.page, 'phone-drawer');
  });

  it('fits a phone when it is empty', async () => {
    await web.open('', { ...phone, colorScheme: 'dark' });
    await web.seen('What needs doing?');
    await takePicture(web.page, 'phone-empty');
  });

  it('lists the shortcuts', async () => {
    await web.open('', { colorScheme: 'light' });
    await web.page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await takePicture(web.page, 'keys');
  });
});
