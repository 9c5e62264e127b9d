import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createStore } from '#store';
import { sampleConversation, sampleStep, sampleTurn } from '../../libs/store/testing/sample-rows.js';
import { waitFor } from '../services/wait-for.js';
import { launchBrowser } from '../web/browser.js';
import { longestTaskMs } from './longest-task.js';
import { usePageFixture } from './page-fixture.js';
import { gate, ScriptedProvider } from './scripted-provider.js';
import { newFolder } from './standalone-process.js';

const TURNS = 300;
const HISTORY = 'conv_of_three_hundred_turns';

let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(() => provider.close());

const web = usePageFixture(async () => {
  const DATA_DIR = await newFolder();
  await writeHistory(DATA_DIR);
  return { ...provider.env, DATA_DIR };
}, launchBrowser);

/** As earlier days left it; to have it answered turn by turn would take a minute. */
async function writeHistory(dataDir: string): Promise<void> {
  const store = createStore({ dataDir });
  await store.open();
  const owner = { user_id: 'local' };
  await store.insertConversation(
    sampleConversation({ ...owner, _id: HISTORY, title: 'Three hundred turns' }),
  );
  for (let number = 1; number <= TURNS; number++) {
    const place = { conversation_id: HISTORY, number, content: `Question ${number}` };
    const turn = sampleTurn({ ...owner, ...place, status: 'completed' });
    await store.insertTurn(turn);
    const text = `Answer ${number}, with **words** and \`code\`.\n\n- one\n- two`;
    await store.commitStep(sampleStep(turn, 1, { blocks: [{ type: 'text', text }] }));
  }
  await store.close();
}

const LONGEST_MS = 500;

const PIECES = 300;
const pieces = (piece: (index: number) => string) =>
  Array.from({ length: PIECES }, (_, index) => piece(index));
const answers = {
  'many paragraphs': pieces(
    (n) => `Paragraph ${n}: **cold** rails, \`iron\`. ${'and so on '.repeat(66)}\n\n`,
  ),
  'one block of code': ['```js\n', ...pieces((n) => `const line${n} = ${n};\n`.repeat(33)), '```\n'],
  'one endless paragraph': pieces((n) => `word${n} `.repeat(90)),
};

describe('an answer of 200 kB', () => {
  for (const [kind, chunks] of Object.entries(answers)) {
    it(`made of ${kind} streams while the person goes on writing`, async () => {
      const tab = await web.open();
      const end = gate();
      provider.answer({
        content: [
          { type: 'text', chunks },
          { type: 'hold', until: end.until },
          { type: 'text', chunks: ['The end.'] },
        ],
        eventDelayMs: 5,
      });
      const longestMs = await longestTaskMs(web.contexts.browser, tab.page, async () => {
        await tab.say('tell me a lot');
        await tab.lastTurn.locator('.prose').waitFor();
        await tab.composer.pressSequentially('meanwhile');
        expect(await tab.page.locator('.turn[data-status=running]').count()).toBe(1);
        end.open();
        await tab.hasEnded(1);
      });
      expect(longestMs).toBeLessThan(LONGEST_MS);
      expect(await tab.composer.inputValue()).toBe('meanwhile');
      const length = chunks.join('').replace(/[\s*`]|^js/g, '').length;
      const shown = (await tab.lastTurn.locator('.prose').innerText()).replace(/\s/g, '').length;
      expect(Math.abs(shown - length)).toBeLessThan(100);
    });
  }
});

describe('300 turns of history', () => {
  it('open with the newest ones, load earlier ones on request, and accept the next message', async () => {
    const tab = await web.open(`#/c/${HISTORY}`);
    await tab.seen(`Answer ${TURNS},`);
    const turns = tab.page.locator('.turn');
    expect(await turns.count()).toBe(20);
    const longestMs = await longestTaskMs(web.contexts.browser, tab.page, async () => {
      for (let shown = 40; shown <= TURNS; shown += 20) {
        await tab.button('Show earlier messages').click();
        await waitFor(async () => (await turns.count()) === shown, { what: `${shown} turns` });
      }
      await tab.button('Show earlier messages').waitFor({ state: 'detached' });
      expect(await tab.ownMessages()).toEqual(Array.from({ length: TURNS }, (_, n) => `Question ${n + 1}`));
      provider.answer({ content: [{ type: 'text', chunks: pieces((n) => `word${n} `) }], eventDelayMs: 5 });
      await tab.say('and now?');
      await tab.lastTurn.locator('.prose').waitFor();
      await tab.composer.pressSequentially('meanwhile');
      await tab.hasEnded(TURNS + 1);
      await tab.lastTurn.getByText('word299').waitFor();
    });
    expect(await tab.button('To the end').count()).toBe(0);
    expect(longestMs).toBeLessThan(LONGEST_MS);
    await tab.takePicture('long-history-light');
  });
});
