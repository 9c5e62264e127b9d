import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { claimRow, CONVERSATION_ID, openPorts, TURN_ID, turnRow, type TestPorts } from '#journal/testing';
import type { Orchestrator } from '../../../apps/orchestrator/orchestrator.js';
import { createOrchestrator } from '../../../apps/orchestrator/testing/create-orchestrator.js';
import { waitFor } from '../../services/wait-for.js';

const DRIVER = 'orchestrator-2';
let ports: TestPorts;
let gone: Set<string>;
let orchestrator: Orchestrator;

beforeEach(async () => {
  ports = await openPorts('orchestrator-1');
  gone = new Set();
  ports.peers.isGone = async (id) => gone.has(id);
  orchestrator = createOrchestrator(ports);
  const at = new Date().toISOString();
  const row = { user_id: 'user_1', title: '', policy: 'enqueue' as const, created_at: at, updated_at: at };
  await ports.store.insertConversation({ _id: CONVERSATION_ID, ...row });
  await ports.store.insertTurn(turnRow());
});
afterEach(async () => {
  await orchestrator.drain(0);
  await ports.store.close();
});

const hint = () => orchestrator.advance({ turn_id: TURN_ID, conversation_id: CONVERSATION_ID });
const claims = async () =>
  (await ports.store.listClaims(TURN_ID)).map(({ owner, n }): [string, number] => [owner, n]);

describe('a hint about a turn', () => {
  it('is forwarded to its driver while that one lives', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    await hint();
    expect(ports.recorded.bodies('turn.advance').map(([to]) => to)).toEqual(['orchestrator.2']);
    expect(await claims()).toEqual([[DRIVER, 1]]);
    expect(orchestrator.size).toBe(0);
  });

  it('whose driver has no queue is left to the sweeper, unless its row is gone too: then it has drained', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    ports.recorded.answer = () => 'returned';
    await hint();
    expect(await claims()).toEqual([[DRIVER, 1]]);
    gone.add(DRIVER);
    await hint();
    expect(await claims()).toEqual([
      [DRIVER, 1],
      ['orchestrator-1', 2],
    ]);
    expect(orchestrator.size).toBe(1);
  });

  it('whose driver is gone is taken up, and that driver is notified in case it lives after all', async () => {
    await ports.store.claim(claimRow(TURN_ID, DRIVER));
    gone.add(DRIVER);
    ports.recorded.answer = () => 'returned';
    await hint();
    const superseded = { turn_id: TURN_ID, attempt: 2 };
    expect(ports.recorded.bodies('turn.superseded')).toEqual([['orchestrator.2', superseded]]);
  });

  it('of a deleted conversation is taken up to be ended, and its content is checked again', async () => {
    await ports.store.updateConversation(CONVERSATION_ID, { deleted_at: new Date().toISOString() });
    const before = Date.now();
    await hint();
    expect(await claims()).toEqual([['orchestrator-1', 1]]);
    const ended = async () => (await ports.store.readJournal(TURN_ID))?.steps.at(-1)?.kind === 'cancel';
    await waitFor(ended, { what: 'the end of the turn' });
    const [due] = await ports.store.listDueConversations(Date.now(), 10);
    expect(due?.due_at).toBeGreaterThanOrEqual(before);
  });

  it('of a turn that was removed with its conversation changes nothing', async () => {
    await ports.store.removeTurns(CONVERSATION_ID, [TURN_ID], 'ids');
    await hint();
    expect(await claims()).toEqual([]);
    expect(orchestrator.size).toBe(0);
  });
});
