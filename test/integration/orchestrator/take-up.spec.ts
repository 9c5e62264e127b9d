import { beforeEach, describe, expect, it } from '@jest/globals';
import { claimRow, CONVERSATION_ID, openPorts, TURN_ID, turnRow, type TestPorts } from '#journal/testing';
import type { CatalogueService } from '../../../apps/orchestrator/catalogue/catalogue.service.js';
import type { OrchestratorDeps } from '../../../apps/orchestrator/deps/orchestrator.deps.js';
import { RequestImages } from '../../../apps/orchestrator/ask/request-images.js';
import type { History } from '../../../apps/orchestrator/turn/history.js';
import { testSettings } from '../../../apps/orchestrator/testing/test-settings.js';
import { TakeUp } from '../../../apps/orchestrator/turn/take-up.js';

const DRIVER = 'orchestrator-2';
let ports: TestPorts;
let gone: Set<string>;

beforeEach(async () => {
  ports = await openPorts('orchestrator-1');
  gone = new Set();
  const at = new Date().toISOString();
  const row = { user_id: 'user_1', title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await ports.store.insertConversation({ _id: CONVERSATION_ID, ...row });
  await ports.store.insertTurn(turnRow());
});

function takeUp() {
  const peers = { ...ports.peers, isGone: async (id: string) => gone.has(id) };
  const deps = { ...ports, peers, settings: testSettings() } as Partial<OrchestratorDeps>;
  const catalogue = { pin: async () => ({ _id: 'hash', tools: [] }), get: async () => null };
  const history = { before: async () => ({ messages: [], approved: new Set() }) };
  return new TakeUp(
    deps as OrchestratorDeps,
    ports,
    catalogue as Partial<CatalogueService> as CatalogueService,
    history as Partial<History> as History,
    new RequestImages(ports.store),
  ).takeUp(TURN_ID, CONVERSATION_ID);
}

describe('a hint about a turn', () => {
  it('is passed on to its driver while that one lives', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    expect(await takeUp()).toBe('nothing_to_do');
    expect(ports.recorded.bodies('turn.advance').map(([to]) => to)).toEqual(['orchestrator.2']);
    expect(await ports.store.listClaims(TURN_ID)).toHaveLength(1);
  });

  it('whose driver has no queue is left to the sweeper, unless its row is gone, too: then it has drained', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    ports.recorded.answer = () => 'returned';
    expect(await takeUp()).toBe('nothing_to_do');
    gone.add(DRIVER);
    expect(await takeUp()).toMatchObject({ claimAttempt: 2, conversation: { isDeleted: false } });
  });

  it('whose driver is gone is taken up, and that driver is told, should it live after all', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    gone.add(DRIVER);
    ports.recorded.answer = () => 'returned';
    await takeUp();
    const superseded = { turn_id: TURN_ID, attempt: 2 };
    expect(ports.recorded.bodies('turn.superseded')).toEqual([['orchestrator.2', superseded]]);
  });

  it('of a deleted conversation is taken up to be ended, and its content is looked for again', async () => {
    await ports.store.updateConversation(CONVERSATION_ID, { deleted_at: new Date().toISOString() });
    const before = Date.now();
    expect(await takeUp()).toMatchObject({ claimAttempt: 1, conversation: { isDeleted: true } });
    const [due] = await ports.store.listDueConversations(Date.now(), 10);
    expect(due?.due_at).toBeGreaterThanOrEqual(before);
  });

  it('that was removed with its conversation changes nothing', async () => {
    await ports.store.removeTurns(CONVERSATION_ID, [TURN_ID], 'ids');
    expect(await takeUp()).toBe('nothing_to_do');
    expect(await ports.store.listClaims(TURN_ID)).toEqual([]);
  });
});
