import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createStore, type Store } from '#store';
import { sampleConversation, sampleStep, sampleTurn } from '../../libs/store/testing/sample-rows.js';
import { countOpen } from './store-dump.js';

let store: Store;
beforeEach(async () => {
  store = createStore({ dataDir: ':memory:' });
  await store.open();
});
afterEach(() => store.close());

it('a run is over only when every turn has ended and is cached as it ended', async () => {
  const owner = { user_id: 'local' };
  const conversation = sampleConversation(owner);
  const turn = sampleTurn({ ...owner, conversation_id: conversation._id, status: 'running' });
  await store.insertConversation(conversation);
  await store.insertTurn(turn);
  expect(await countOpen(store)).toBe(1);
  // Whoever commits the last step may be killed before it writes the cache: the sweeper does it later.
  await store.commitStep(sampleStep(turn, 1));
  expect(await countOpen(store)).toBe(1);
  await store.setTurnStatus(turn._id, 'completed');
  expect(await countOpen(store)).toBe(0);
});
