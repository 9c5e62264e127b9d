import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Body } from '#contracts';
import { callId, CONVERSATION_ID, openPorts, TURN_ID, turnRow, type TestPorts } from '#journal/testing';
import type { Delivery } from '#messaging';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { Orchestrator } from './orchestrator.js';
import { createOrchestrator } from './testing/create-orchestrator.js';

let ports: TestPorts;
let orchestrator: Orchestrator;
beforeEach(async () => {
  // On a clock that stands: what it does now and then must not outlive the test.
  const random = new SeededRandom(1);
  ports = await openPorts('orchestrator-2', { clock: new VirtualClock(random).view(), random });
  orchestrator = createOrchestrator(ports);
});
afterEach(() => ports.store.close());

const result: Body<'tool.result'> = {
  tool_call_id: callId(1),
  turn_id: TURN_ID,
  status: 'success',
  data: { sum: 3 },
  duration_ms: 1,
  worker: 'worker-1',
};

function fromQueue(): Delivery {
  const message = newMessage(ports, 'tool.result', result);
  return { message, redelivered: false, lost: new AbortController().signal };
}

describe('an orchestrator that receives a result of a turn it does not drive', () => {
  it('hints the turn when the result came through the queue, because its driver is gone', async () => {
    await ports.store.insertTurn(turnRow());
    expect(await orchestrator.result(result, fromQueue())).toBe('ack');
    expect(ports.recorded.bodies('turn.advance')).toEqual([
      ['turns', { turn_id: TURN_ID, conversation_id: CONVERSATION_ID }],
    ]);
  });

  it('hints nothing when the result was for a turn that this process drove before', async () => {
    await ports.store.insertTurn(turnRow());
    await orchestrator.result(result);
    expect(ports.recorded.sent).toEqual([]);
  });

  it('acknowledges the result of a turn that was removed', async () => {
    expect(await orchestrator.result(result, fromQueue())).toBe('ack');
    expect(ports.recorded.sent).toEqual([]);
  });
});
