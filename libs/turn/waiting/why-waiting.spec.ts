import { describe, expect, it } from '@jest/globals';
import type { Journal } from '#contracts';
import {
  at,
  callId,
  callRow,
  claimRow,
  journalOf,
  outcomeRow,
  START,
  stepRow,
  turnRow,
} from '../testing/rows.js';
import type { WaitSituation } from './wait-situation.js';
import { whyWaiting } from './why-waiting.js';

const TURN = turnRow()._id;
const web = (change = {}) => callRow(2, { tool_name: 'web.search', ...change });
const asking = (call = web()) =>
  journalOf({
    claims: [claimRow(TURN, 1, { owner: 'orchestrator-1' })],
    steps: [stepRow(1, '', [callRow(1), call], { at: at(1_000) })],
    outcomes: [outcomeRow(1)],
  });
const dead = (...ids: string[]) => ({
  liveness: (id: string) => (ids.includes(id) ? 'dead' : 'alive') as 'dead',
});

function why(
  journal: Journal,
  change: Partial<WaitSituation> = {},
  fleet: Partial<WaitSituation['fleet']> = {},
) {
  return whyWaiting(journal, {
    now: START + 5_000,
    me: 'gateway-1',
    liveness: () => 'alive',
    deleted: false,
    ...change,
    fleet: {
      orchestrators: 2,
      turnsQueued: 3,
      queueOf: () => ({ calls: 41, workers: 2, per_second: 0.8, estimate_ms: 51_250 }),
      isPaused: () => false,
      ...fleet,
    },
  });
}

describe('why a turn waits', () => {
  it('names the call, its place in the queue and the time that this takes', () => {
    expect(why(asking())).toEqual({
      reason: 'queued',
      text: 'Call 2 of step 1 (web.search) waits for a worker: 41 in the queue, 2 workers, 0.8 calls/s: about 51 s.',
      since: at(1_000),
      until: at(62_000),
      step: 1,
      tool_call_id: callId(2),
      tool_name: 'web.search',
      queue: { calls: 41, workers: 2, per_second: 0.8, estimate_ms: 51_250 },
    });
  });

  it.each<[string, string, Journal, Partial<WaitSituation>?, Partial<WaitSituation['fleet']>?]>([
    [
      'nobody has taken it',
      'It waits for an orchestrator to take it up: 3 in the queue, 2 orchestrators.',
      journalOf(),
    ],
    [
      'nobody can take it',
      'No orchestrator takes new turns: start one, or let one that drains go on.',
      journalOf(),
      {},
      { orchestrators: 0 },
    ],
    [
      'another turn comes first',
      'It waits for turn 1 of its conversation, which has not ended.',
      journalOf({ turn: turnRow(2) }),
      { earlier: { number: 1 } },
    ],
    [
      'its orchestrator is gone',
      'Its orchestrator orchestrator-1 is gone: another one takes it over within seconds.',
      asking(),
      dead('orchestrator-1'),
    ],
    [
      'a model is asked',
      'orchestrator-1 asks a model for step 1, or waits for its admission.',
      journalOf({ claims: [claimRow(TURN, 1, { owner: 'orchestrator-1' })] }),
    ],
    [
      'its conversation is deleted',
      'Its conversation is deleted: an orchestrator ends it.',
      journalOf(),
      { deleted: true },
    ],
    [
      'no worker has the toolset',
      'Call 2 of step 1 (web.search) waits for a worker of its toolset, and none is running: start one.',
      asking(),
      {},
      { queueOf: () => ({ workers: 0, per_second: 0 }) },
    ],
    [
      'a person has to approve',
      'Call 2 of step 1 (web.search) waits for a person to approve it.',
      asking(web({ approval: 'required' })),
    ],
  ])('says so when %s', (_, sentence, journal, situation = {}, fleet = {}) => {
    expect(why(journal, situation, fleet)?.text).toBe(sentence);
  });

  it('says what follows the loss of a worker, by the class of the call', () => {
    const lost = (toolClass: 'once' | 'read') => {
      const journal = asking(web({ class: toolClass }));
      journal.claims.push(claimRow(callId(2), 1, { owner: 'worker-9' }));
      return why(journal, dead('worker-9'))?.text;
    };
    expect(lost('read')).toBe(
      'Call 2 of step 1 (web.search) was run by worker-9, which is gone: another worker runs it again.',
    );
    expect(lost('once')).toBe('The end of call 2 of step 1 (web.search) is known and is being written.');
  });

  it('is nothing once the turn is over', () => {
    const journal = asking();
    journal.outcomes.push(outcomeRow(2));
    journal.steps.push(stepRow(2, 'Done.'));
    expect(why(journal)).toBeUndefined();
  });
});
