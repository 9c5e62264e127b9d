import { beforeEach, describe, expect, it } from '@jest/globals';
import { takePicture } from './browser.js';
import type { FakeTurn } from './fake-turn.js';
import { usePageFixture } from './fixture.js';

const web = usePageFixture();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const line = (name: string | RegExp) => web.page.getByRole('button', { name });
const breath = () =>
  web.page.evaluate("getComputedStyle(document.querySelector('.aside-head .cursor')).animationDuration");

async function begin(question = 'Think about it', index = 0): Promise<FakeTurn> {
  await web.say(question);
  return (await web.turn(index)).start().say();
}

describe('the thoughts of the model', () => {
  it('are one closed line that opens with the keyboard and grows while the model thinks', async () => {
    await web.open();
    const one = (await begin()).think('First I **add');
    await web.seen('Thinking…');
    expect(await web.page.getByText('Waiting for the model').count()).toBe(0);
    expect(await web.page.getByText('First I').count()).toBe(0);
    const thinking = line('Thinking…');
    expect(await thinking.getAttribute('aria-expanded')).toBe('false');
    await thinking.focus();
    await web.page.keyboard.press('Enter');
    expect(await thinking.getAttribute('aria-expanded')).toBe('true');
    const contentId = await thinking.getAttribute('aria-controls');
    await web.page.locator(`[id="${contentId}"]`, { hasText: 'First I' }).waitFor();
    one.think(' them** up.');
    await web.page.locator('.aside-text strong', { hasText: 'add them' }).waitFor();
    web.gateway.aheadMs += 4_000;
    one.stream('It is 42.');
    await line(/^Thought for \d/).waitFor();
    await web.isFocused(line(/^Thought for \d/));
    expect(await web.page.locator('.aside-text').innerText()).toBe('First I add them up.');
    await web.page.keyboard.press('Space');
    await web.page.locator('.aside-text').waitFor({ state: 'detached' });
  });

  it('stand above the text and the calls of their step, and are not copied with the answer', async () => {
    await web.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    const one = (await begin()).think('I must add.').stream('I add.');
    one
      .ask({ tool: 'math.add', args: { a: 1, b: 2 } })
      .run(0)
      .succeed(0, '3', 5);
    one.say().think('Three it is.').stream('It is 3.').complete();
    await web.seen('2 steps, 1 call');
    const parts = await web.page.locator('.answer > :is(.aside-note, .prose, .step)').allInnerTexts();
    expect(parts.map((text) => text.split('\n')[0])).toEqual([
      'Thought',
      'I add.',
      'Step 1',
      'Thought',
      'It is 3.',
    ]);
    await web.button('Copy answer').click();
    expect(await web.page.evaluate('navigator.clipboard.readText()')).toBe('I add.\n\nIt is 3.');
  });

  it('stay after their turn and after a lost connection, and are gone after a reload', async () => {
    await web.open();
    const one = (await begin()).think('I need not think much.');
    await line('Thinking…').click();
    web.gateway.cutOff();
    await line('Was thinking').waitFor();
    web.gateway.restore();
    await line('Thinking…').waitFor();
    one.stream('Done.').complete();
    await web.seen('1 step');
    await web.seen('I need not think much.');
    await web.page.reload();
    await web.seen('Done.');
    await web.seen('1 step');
    expect(await web.page.locator('.aside-note').count()).toBe(0);
  });

  it('are marked as incomplete when they began before the page was loaded', async () => {
    await web.open();
    const one = (await begin()).think('You cannot see this, ');
    await web.seen('Thinking…');
    await web.page.reload();
    await web.seen('Waiting for the model');
    one.think('but this.');
    await line('Thinking…').click();
    await web.seen('… but this.');
    one.stream('Done.');
    await line(/^Thought$/).waitFor();
    expect(await web.page.getByText('You cannot see this').count()).toBe(0);
  });

  it('pulse while the model thinks, except with reduced motion', async () => {
    await web.open('', { reducedMotion: 'no-preference' });
    const one = (await begin()).think('Hm.');
    await line('Thinking…').waitFor();
    expect(await breath()).toBe('1.6s');
    await web.page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await breath()).toBe('0s');
    one.stream('Done.');
    await line('Thought').waitFor();
    expect(await web.page.locator('.aside-head .cursor').count()).toBe(0);
  });
});

describe('a formatted answer', () => {
  it('replaces the first version, which stays as one line that opens', async () => {
    await web.open('', { permissions: ['clipboard-read', 'clipboard-write'] });
    const one = (await begin()).stream('I add.').ask({ tool: 'math.add', args: { a: 2, b: 3 } });
    one.run(0).succeed(0, '5', 4).say('It is five, I think.').ask();
    await web.page.locator('.prose p:not(.plain)', { hasText: 'It is five, I think.' }).waitFor();
    one.say('**Five.** Certainly.').replace(2).complete();
    await web.seen('3 steps, 1 call');
    expect(await web.page.locator('.prose').allInnerTexts()).toEqual(['I add.', 'Five. Certainly.']);
    await web.button('Copy answer').click();
    expect(await web.page.evaluate('navigator.clipboard.readText()')).toBe('I add.\n\n**Five.** Certainly.');
    await web.page.reload();
    await line('First version of the answer').click();
    await web.seen('It is five, I think.');
    await takePicture(web.page, 'formatted-light');
    const two = (await begin('Again', 1)).stream('Six.').ask();
    two.say('Six.').replace(1).complete();
    await web.seen('2 steps');
    expect(await web.page.locator('.turn').last().locator('.prose').allInnerTexts()).toEqual(['Six.']);
    expect(await line('First version of the answer').count()).toBe(1);
  });
});

describe('folded lines next to the answer', () => {
  beforeEach(() => {
    web.gateway.add('tea', 'Tea for the office');
  });

  function play(): FakeTurn {
    const thought = (thoughtNumber: number, text: string) => ({
      tool: 'thinking.sequentialthinking',
      args: { thought: text, thoughtNumber, totalThoughts: 3, nextThoughtNeeded: true },
      source: 'mcp' as const,
    });
    const one = web.gateway.accept('tea', 'Which tea do we order, and how much of it?', 'tea-1').start();
    one
      .summarise('')
      .summarise('They order for **two offices** and like green tea. The last order was 40 packets.');
    one.say().think('Two offices. I should look at what was ordered.').stream('I look at the orders first.');
    one
      .ask(
        thought(1, 'What was ordered in October counts.\nNovember is not over.'),
        thought(2, 'Green, then.'),
      )
      .run(0);
    one.succeed(0, '{}', 4).run(1).succeed(1, '{}', 3);
    return one.say();
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`open like other folded lines and fit 390 px in ${colorScheme}`, async () => {
      const one = play();
      await web.open('#/c/tea', { ...phone, colorScheme });
      await web.seen('Waiting for the model');
      one.think('Forty packets lasted two months.');
      await web.seen('Thinking…');
      await takePicture(web.page, `asides-phone-closed-${colorScheme}`);
      for (const name of ['Earlier messages were summarised', 'Thought 1 of 3']) {
        expect((await line(name).boundingBox())?.height).toBe(44);
        await line(name).tap();
        await line(name).and(web.page.locator('[aria-expanded=true]')).waitFor();
      }
      await takePicture(web.page, `asides-phone-open-${colorScheme}`);
      expect(await web.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      expect(await web.page.locator('details').count()).toBe(0);
    });

    it(`are unobtrusive on a wide page in ${colorScheme}`, async () => {
      const one = play();
      await web.open('#/c/tea', { colorScheme });
      await web.seen('Waiting for the model');
      one.think('Forty packets lasted two months:\n\n- 20 a month\n- 3 months to go');
      await line('Thinking…').click();
      web.gateway.aheadMs += 4_000;
      one.stream('Order **60 packets** of green tea, 20 for each month.');
      await web.seen('60 packets');
      await line('Earlier messages were summarised').click();
      await web.seen('3 months to go');
      await takePicture(web.page, `asides-${colorScheme}`);
    });
  }
});
