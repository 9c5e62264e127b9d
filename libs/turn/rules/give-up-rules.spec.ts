import { describe, expect, it } from '@jest/globals';
import { errorDetail } from '#contracts';
import { settleClaim } from '../journal/claim-rows.js';
import { neverStarted } from '../journal/outcomes.js';
import { callId, callRow, claimRow, journalOf, outcomeRow, stepRow, START } from '../testing/rows.js';
import { decideAfterCompeting, decideNotTaken, decideStop } from './give-up-rules.js';

const cancelled = outcomeRow(1, { status: 'failure', data: null, error: neverStarted() });
const nobody = errorDetail('DependencyUnavailable', 'No worker for math is running.');
const by = { me: 'orchestrator-1', now: START };

describe('stopping a turn', () => {
  it('inserts a row under the next number until the turn has an end', () => {
    const asks = stepRow(1, '', [callRow(1)]);
    expect(decideStop(journalOf())).toEqual({ do: 'commit_cancel', n: 1 });
    expect(decideStop(journalOf({ steps: [asks] }))).toEqual({ do: 'commit_cancel', n: 2 });
    const end = stepRow(2, '', [], { kind: 'cancel' });
    expect(decideStop(journalOf({ steps: [asks, end] }))).toEqual({ do: 'release' });
  });
});

describe('competing for a call’s first claim', () => {
  it('settles with the outcome of the winning claim, not with its own', () => {
    const earlier = outcomeRow(1, { explanation: 'earlier' });
    const stands = settleClaim(earlier, 'gateway-1');
    expect(decideAfterCompeting(stands, cancelled)).toEqual({ do: 'settle', outcome: earlier });
  });

  it('notifies the owner of a stopped call that was claimed to run, and leaves other calls to their owner', () => {
    const stands = claimRow(callId(1));
    expect(decideAfterCompeting(stands, cancelled)).toEqual({ do: 'cancel', owner: 'worker-1' });
    expect(decideAfterCompeting(stands, outcomeRow(1))).toEqual({ do: 'leave' });
  });
});

describe('a call that no worker can run', () => {
  const step = stepRow(1, '', [callRow(1)]);
  const open = { step, call: step.calls[0]! };
  const journal = journalOf({ steps: [step] });

  it('competes for the claim when there is none', () => {
    const action = decideNotTaken(journal, open, nobody, by);
    expect(action).toMatchObject({
      do: 'compete',
      outcome: { error: { error_type: 'DependencyUnavailable' } },
    });
  });

  it('ends as unknown when it had been claimed to run, unless it only reads', () => {
    const claims = [claimRow(callId(1))];
    const action = decideNotTaken({ ...journal, claims }, open, nobody, by);
    expect(action).toMatchObject({
      do: 'settle',
      outcome: { attempt: 1, error: { error_type: 'OutcomeUnknown' } },
    });
    const reads = { step, call: callRow(1, { class: 'read' }) };
    expect(decideNotTaken({ ...journal, claims }, reads, nobody, by)).toMatchObject({
      do: 'settle',
      outcome: { error: { error_type: 'DependencyUnavailable' } },
    });
  });

  it('ends with the outcome of its settle claim', () => {
    const claims = [settleClaim(cancelled, 'gateway-1')];
    expect(decideNotTaken({ ...journal, claims }, open, nobody, by)).toEqual({
      do: 'settle',
      outcome: cancelled,
    });
  });
});
