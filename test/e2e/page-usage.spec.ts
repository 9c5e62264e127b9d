import { afterAll, expect, test } from '@jest/globals';
import { say } from '../fakes/messages-reply.js';
import { waitFor } from '../services/wait-for.js';
import { usePageFixture } from './page-fixture.js';
import { ScriptedProvider } from './scripted-provider.js';
import { writeSettings } from './standalone-process.js';

let provider: ScriptedProvider;
const web = usePageFixture(async () => {
  provider = await ScriptedProvider.start();
  const settings = { models: { anthropic: { price: { input: 3, output: 15 } } } };
  return { ...provider.env, CONFIG: await writeSettings('switchyard.json', settings) };
});
afterAll(() => provider?.close());

test('a turn on the page is counted under its model, with its cost', async () => {
  const tab = await web.open();
  provider.answer({ ...say('Hello.'), usage: { input_tokens: 1_000, output_tokens: 200 } });
  await tab.say('Hi');
  await tab.hasEnded(1);
  const popover = tab.page.getByRole('dialog', { name: 'Usage' });
  const today = popover.getByRole('region', { name: 'Today', exact: true }).locator('dl > div');
  // What is shown was read when it was opened; a turn is counted a moment after its end.
  const readToday = async () => {
    await tab.button('Usage').click();
    await popover.waitFor();
    const lines = await today.allInnerTexts();
    await tab.button('Close').click();
    return lines.length > 0 ? lines.map((line) => line.split('\n')) : undefined;
  };
  const lines = await waitFor(readToday, { what: 'the usage of the turn' });
  expect(lines).toEqual([['anthropic/claude-sonnet-5-5', '1,200 tokens · 0.006']]);
});
