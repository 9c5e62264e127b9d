import { beforeEach, describe, expect, it } from '@jest/globals';
import { bodySchemas, eventSchema, type Call, type Journal } from '#contracts';
import type { CallAction } from '#turn';
import { carryOut, hint } from './carry-out.js';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  openPorts,
  outcomeRow,
  stepRow,
  TURN_ID,
  turnRow,
  type TestPorts,
} from './testing/test-ports.js';

const cancelled = outcomeRow(1, {
  status: 'failure',
  data: null,
  error: { error_type: 'Cancelled', error_message: 'Stopped.' },
  attempt: 0,
});
let ports: TestPorts;

beforeEach(async () => {
  ports = await openPorts('orchestrator-1');
});

function carry(action: CallAction, call: Call = callRow(1), rows: Partial<Journal> = {}) {
  const step = stepRow(1, { calls: [call] });
  const turn = { ...turnRow(), traceparent: '00-aa-bb-01' };
  const journal: Journal = { turn, steps: [step], claims: [], outcomes: [], answers: [], ...rows };
  return carryOut(ports, journal, { step, call, action });
}

describe('carrying out a decision about a call', () => {
  it('does nothing for an action that needs no work', async () => {
    expect(await carry({ do: 'nothing' })).toEqual({});
    expect(await carry({ do: 'await_person' })).toEqual({});
    expect(ports.recorded).toMatchObject({ sent: [], events: [] });
  });

  it('publishes the call to the queue of its toolset, with everything that a worker needs', async () => {
    expect(await carry({ do: 'publish' })).toEqual({ published: 'confirmed' });
    const [{ to, message }] = ports.recorded.sent as [(typeof ports.recorded.sent)[0]];
    expect(to).toBe('tools.math');
    expect(message).toMatchObject({
      type: 'tool.call',
      traceparent: '00-aa-bb-01',
      body: {
        tool_call_id: callId(1),
        n: 1,
        user_id: 'user_1',
        arguments: { a: 2 },
        class: 'once',
        timeout_ms: 30_000,
        deadline: at(1 + 90_000),
        reply_to: 'orchestrator.1',
      },
    });
    expect(bodySchemas['tool.call'].parse(message.body)).toEqual(message.body);
  });

  it('counts the deadline from the approval, and returns the outcome of the publish', async () => {
    ports.recorded.answer = () => 'returned';
    const call = callRow(1, { approval: 'required' });
    const answers = [answerRow(1, { decision: 'approve', at: at(600_000) })];
    expect(await carry({ do: 'publish' }, call, { answers })).toEqual({ published: 'returned' });
    expect(ports.recorded.bodies('tool.call')[0]![1].deadline).toBe(at(690_000));
  });

  it('settles once and notifies viewers once', async () => {
    await ports.store.claim(claimRow(callId(1), 'worker-1'));
    const outcome = outcomeRow(1);
    expect(await carry({ do: 'settle', outcome })).toEqual({ outcome });
    expect(await carry({ do: 'settle', outcome: cancelled })).toEqual({ outcome });
    expect(ports.recorded.events).toMatchObject([
      { type: 'tool_complete', tool_result: '5', display_name: 'add' },
    ]);
    expect(eventSchema.parse(ports.recorded.events[0])).toEqual(ports.recorded.events[0]);
    expect(await ports.store.getOutcome(callId(1))).toEqual(outcome);
  });

  it('settles a call under a claim that contains the outcome', async () => {
    const learned = await carry({ do: 'compete', outcome: cancelled });
    const claim = { owner: 'orchestrator-1', n: 1, purpose: 'settle', decides: cancelled };
    expect(learned).toMatchObject({ claim, outcome: cancelled });
    expect(await ports.store.listClaims(callId(1))).toEqual([learned.claim]);
    expect(ports.recorded.events).toMatchObject([{ type: 'tool_error', error_type: 'Cancelled' }]);
  });

  it('leaves a call alone that a worker has already claimed to run', async () => {
    const claim = claimRow(callId(1), 'worker-1');
    await ports.store.claim(claim);
    expect(await carry({ do: 'compete', outcome: cancelled })).toEqual({ claim });
    expect(await ports.store.getOutcome(callId(1))).toBeNull();
    expect(ports.recorded.events).toEqual([]);
  });

  it('inserts the outcome of an earlier settle claim, not its own', async () => {
    const decides = outcomeRow(1, { status: 'no_change_needed', data: null, attempt: 0 });
    await ports.store.claim({ ...claimRow(callId(1), 'worker-1'), purpose: 'settle', decides });
    expect(await carry({ do: 'compete', outcome: cancelled })).toMatchObject({ outcome: decides });
    expect(await ports.store.getOutcome(callId(1))).toEqual(decides);
  });

  it('notifies the owner of a running call to stop', async () => {
    expect(await carry({ do: 'cancel', owners: ['worker-1'], stoodBack: [] })).toEqual({});
    expect(ports.recorded.bodies('tool.cancel')).toEqual([
      ['worker.1', { tool_call_id: callId(1), turn_id: TURN_ID }],
    ]);
  });

  it('notifies every owner that may be running the call, and names those that stood back', async () => {
    const stoodBack = [{ worker: 'worker-3', started: false }];
    await carry({ do: 'cancel', owners: ['worker-1', 'worker-2'], stoodBack });
    const told = { tool_call_id: callId(1), turn_id: TURN_ID, stood_back: stoodBack };
    expect(ports.recorded.bodies('tool.cancel')).toEqual([
      ['worker.1', told],
      ['worker.2', told],
    ]);
  });

  it('answers an expired approval, unless a person was faster', async () => {
    const expired = answerRow(1, { decision: 'expired', by: 'system' });
    expect(await carry({ do: 'expire', answer: expired })).toEqual({ answer: expired });
    expect(ports.recorded.events).toMatchObject([
      { type: 'approval_answered', tool_call_id: callId(1), decision: 'expired', timestamp: expired.at },
    ]);
    const late = answerRow(1, { decision: 'expired', at: at(99) });
    expect(await carry({ do: 'expire', answer: late })).toEqual({ answer: expired });
    expect(ports.recorded.events).toHaveLength(1);
  });
});

describe('a hint', () => {
  const journal = (claims: Journal['claims']): Journal => {
    return { turn: turnRow(), steps: [], claims, outcomes: [], answers: [] };
  };
  const targets = () => ports.recorded.bodies('turn.advance').map(([to]) => to);

  it('goes to the driver, or to any orchestrator if there is no driver', async () => {
    const claims = [claimRow(TURN_ID, 'orchestrator-8'), claimRow(TURN_ID, 'orchestrator-9', 2)];
    await hint(ports, journal(claims));
    await hint(ports, journal([]));
    expect(targets()).toEqual(['orchestrator.9', 'turns']);
  });

  it.each(['returned', 'refused', 'unknown'] as const)(
    'goes to any orchestrator when the driver’s is %s',
    async (answer) => {
      ports.recorded.answer = (to) => (to === 'turns' ? 'confirmed' : answer);
      await hint(ports, journal([claimRow(TURN_ID, 'orchestrator-9')]));
      expect(targets()).toEqual(['orchestrator.9', 'turns']);
    },
  );
});
