import { describe, expect, it } from '@jest/globals';
import { waitFor } from '../services/wait-for.js';
import { usePageFixture } from './fixture.js';
import { takePicture } from './browser.js';

const web = usePageFixture();
const NOTE = 'What is not sent yet is lost when this page closes.';

describe("a browser's storage", () => {
  it('that is full is said so, and a message is sent all the same', async () => {
    await web.openOnce();
    await web.composer().waitFor();
    await web.page.evaluate(`(() => {
      for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2))
        for (let n = 0; ; n++)
          try { localStorage.setItem('other.' + size + '.' + n, 'x'.repeat(size)); } catch { break; }
    })()`);
    const long = 'word '.repeat(2_000);
    await web.composer().fill(long);
    await web.seen(NOTE);
    await takePicture(web.page, 'storage-full');
    await web.composer().press('Enter');
    await web.turn(0);
    await waitFor(async () => (await web.page.getByText(NOTE).count()) === 0, { what: 'the note to go' });
    expect(await web.composer().inputValue()).toBe('');
  });

  it('that is forbidden is said so, and a message is sent all the same', async () => {
    await web.openOnce(
      '',
      `Object.defineProperties(window, {
      localStorage: { get() { throw new DOMException('denied', 'SecurityError'); } },
      sessionStorage: { get() { throw new DOMException('denied', 'SecurityError'); } },
    })`,
    );
    await web.composer().fill('Hello');
    await web.seen(NOTE);
    await web.composer().press('Enter');
    await web.turn(0);
    await web.page.locator('.turn').getByText('Hello').waitFor();
  });
});
