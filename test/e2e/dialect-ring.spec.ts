import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DIALECT_NAMES } from '../../apps/gateway/dialects/dialects.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { RING_CLIENTS, type RingClient, type Said } from './ring-clients.js';
import { removeFolders, startStandalone } from './standalone-process.js';
import { Viewer } from './viewer.js';

/*
 * One conversation in all dialects: who begins it, who goes on with it, and who watches. The demo model says what was
 * said before, so every client proves that it is in the conversation of the one before it.
 */

const START_MS = 60_000;
const NAMES = Object.keys(RING_CLIENTS);

let standalone: SwitchyardProcess;
let watcher: Viewer;
const clients = new Map<string, RingClient>();

beforeAll(async () => {
  standalone = await startStandalone();
  watcher = await Viewer.connect(standalone.url);
  for (const [name, open] of Object.entries(RING_CLIENTS)) clients.set(name, await open(standalone.url));
}, START_MS);
afterAll(async () => {
  for (const client of clients.values()) client.close();
  watcher?.close();
  await standalone?.kill('SIGTERM');
  await removeFolders();
});

/** What the watcher has seen in the turn of this message, once it has ended. */
async function watched(conversationId: string, content: string): Promise<string> {
  const find = () => watcher.view(conversationId).turns.find((one) => one.content === content);
  await waitFor(() => find() !== undefined, { what: `the watcher to see the turn “${content}”` });
  const { turn_id } = find()!;
  await watcher.ended(conversationId, turn_id);
  return watcher.text(conversationId, turn_id);
}

describe('the ring of dialects', () => {
  it('contains every dialect', () => {
    expect(NAMES).toEqual(expect.arrayContaining(DIALECT_NAMES));
  });

  it.each(NAMES)(
    'continues in every other dialect a conversation begun in %s, and it is watched',
    async (first) => {
      const beginner = clients.get(first)!;
      let last = `the first words, in ${first}`;
      const begun = await beginner.begin(last);
      const { conversationId } = begun;
      await watcher.join(conversationId);
      const check = async (ask: (content: string) => Promise<Said>, who: string): Promise<void> => {
        const content = `what did I say just before? (${who} asks)`;
        const said = await ask(content);
        expect(said).toMatchObject({ conversationId, text: expect.stringContaining(`“${last}”`) });
        expect(await watched(conversationId, content)).toBe(said.text);
        last = content;
      };
      for (const [name, client] of clients)
        if (name !== first && client.goOn)
          await check((content) => client.goOn!(conversationId, content), name);
      await check((content) => beginner.goOnAlone(content), `${first} again`);
      expect(watcher.view(conversationId).turns.map(({ status }) => status)).toEqual(
        watcher.view(conversationId).turns.map(() => 'completed'),
      );
    },
    60_000,
  );
});
