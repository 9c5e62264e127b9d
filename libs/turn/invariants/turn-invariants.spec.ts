import { describe, expect, it } from '@jest/globals';
import { completeResult, errorDetail, type Journal } from '#contracts';
import { settleClaim } from '../journal/claim-rows.js';
import { failedOutcome } from '../journal/outcomes.js';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  journalOf,
  outcomeRow,
  stepRow,
  turnRow,
} from '../testing/rows.js';
import { INVARIANTS, type Invariant } from './invariants.js';
import { brokenInTurn, isTakenUpEarly } from './turn-invariants.js';

const ORDERED: readonly Invariant[] = ['one_turn_at_a_time', 'turns_in_order', 'deleted_is_removed'];

/** A turn with one approved call that has ended, and its answer. */
function goodJournal(change: Partial<Journal> = {}): Journal {
  return journalOf({
    turn: turnRow(1, { status: 'completed' }),
    steps: [stepRow(1, '', [callRow(1, { approval: 'required' })]), stepRow(2, 'five')],
    claims: [claimRow('turn_1'), claimRow(callId(1))],
    outcomes: [outcomeRow(1)],
    answers: [answerRow(1, 'approval', { decision: 'approve' })],
    ...change,
  });
}

const repeatable = [stepRow(1, '', [callRow(1, { class: 'read' })]), stepRow(2, 'five')];
const neverRan = failedOutcome(repeatable[0]!, callRow(1), errorDetail('Cancelled', 'Stopped.'), {
  worker: 'gateway-1',
  attempt: 0,
  at: at(400),
});
const failure = completeResult({ status: 'failure', error: errorDetail('OutcomeUnknown', 'May have run.') });

/** What makes a good journal a bad one, and the row that is named. */
const BROKEN: [Invariant, string, Partial<Journal>, row: string][] = [
  [
    'readable',
    'a turn lacks its options',
    { turn: { ...turnRow(1), options: undefined as never } },
    'turn_1',
  ],
  [
    'readable',
    'a step has calls of no kind',
    { steps: [stepRow(1, '', [], { calls: ['x' as never] })] },
    'turn_1:1',
  ],
  [
    'readable',
    'a claim has an unknown purpose',
    { claims: [claimRow('turn_1', 1, { purpose: 'steal' as never })] },
    'turn_1:1',
  ],
  [
    'readable',
    'an outcome lacks its attempt',
    { outcomes: [outcomeRow(1, { attempt: undefined as never })] },
    callId(1),
  ],
  ['steps_in_order', 'a step is missing', { steps: [repeatable[0]!, stepRow(3, 'five')] }, 'turn_1:3'],
  ['one_end', 'a step follows the end', { steps: [...repeatable, stepRow(3, 'six')] }, 'turn_1:3'],
  [
    'calls_end_first',
    'a call is open when the model goes on',
    { outcomes: [], turn: turnRow(1, { due_at: 1 }) },
    'turn_1:2',
  ],
  [
    'status_of_end',
    'it is listed as ended and is not',
    { steps: [], claims: [], outcomes: [], answers: [], turn: turnRow(1, { status: 'failed', due_at: 1 }) },
    'turn_1',
  ],
  [
    'stays_due',
    'nobody looks at it again',
    { steps: [], claims: [], outcomes: [], answers: [], turn: turnRow(1) },
    'turn_1',
  ],
  [
    'known_call',
    'a claim is on no call',
    { claims: [claimRow('turn_1'), claimRow(callId(1)), claimRow(callId(2))] },
    `${callId(2)}:1`,
  ],
  ['known_call', 'an outcome is of no call', { outcomes: [outcomeRow(1), outcomeRow(2)] }, callId(2)],
  [
    'known_call',
    'an answer is about no call',
    { answers: [answerRow(1, 'approval', { decision: 'approve' }), answerRow(2, 'question')] },
    `${callId(2)}:question`,
  ],
  [
    'claims_in_order',
    'a claim on the turn is missing',
    { claims: [claimRow('turn_1', 2), claimRow(callId(1))] },
    'turn_1',
  ],
  [
    'claims_in_order',
    'a claim on the call is missing',
    { steps: repeatable, claims: [claimRow(callId(1), 2)], outcomes: [outcomeRow(1, { attempt: 2 })] },
    callId(1),
  ],
  [
    'settle_is_final',
    'a refused call was claimed again',
    {
      steps: repeatable,
      claims: [settleClaim(neverRan, 'gateway-1'), claimRow(callId(1), 2)],
      outcomes: [neverRan],
    },
    callId(1),
  ],
  [
    'settle_is_final',
    'a refused call has another outcome',
    {
      steps: repeatable,
      claims: [settleClaim(neverRan, 'gateway-1')],
      outcomes: [{ ...neverRan, error: errorDetail('PermissionError', 'No.') }],
    },
    callId(1),
  ],
  [
    'once_claimed_once',
    'a tool that acts once was claimed twice',
    { claims: [claimRow(callId(1)), claimRow(callId(1), 2)] },
    callId(1),
  ],
  [
    'attempts_limited',
    'a call was tried four times',
    { steps: repeatable, claims: [1, 2, 3, 4].map((n) => claimRow(callId(1), n)) },
    callId(1),
  ],
  ['approved_first', 'nobody had approved', { answers: [] }, callId(1)],
  [
    'approved_first',
    'a person had denied',
    { answers: [answerRow(1, 'approval', { decision: 'deny' })] },
    callId(1),
  ],
  [
    'approved_first',
    'its user had approved what others have to',
    {
      steps: [
        stepRow(1, '', [callRow(1, { approval: 'required', approvers: ['chief'] })]),
        stepRow(2, 'five'),
      ],
      answers: [answerRow(1, 'approval', { decision: 'approve', by: turnRow(1).user_id })],
    },
    callId(1),
  ],
  ['outcome_claimed', 'nobody had claimed the call', { steps: repeatable, claims: [] }, callId(1)],
  [
    'outcome_claimed',
    'a call succeeded that never ran',
    { outcomes: [outcomeRow(1, { attempt: 0 })] },
    callId(1),
  ],
  [
    'outcome_claimed',
    'another attempt was claimed',
    { outcomes: [outcomeRow(1, { attempt: 2 })] },
    callId(1),
  ],
  [
    'unknown_was_run',
    'no worker had claimed it',
    {
      steps: repeatable,
      claims: [settleClaim({ ...neverRan, ...failure }, 'gateway-1')],
      outcomes: [{ ...neverRan, ...failure }],
    },
    callId(1),
  ],
];

describe('brokenInTurn', () => {
  it('finds nothing in a turn that has not begun, runs, or has ended', () => {
    const running = goodJournal({
      turn: turnRow(1, { status: 'running', due_at: 1 }),
      outcomes: [],
      steps: [goodJournal().steps[0]!],
    });
    const queued = journalOf({ turn: turnRow(1, { due_at: 1 }) });
    const refused = goodJournal({
      steps: repeatable,
      claims: [settleClaim(neverRan, 'gateway-1')],
      outcomes: [neverRan],
    });
    for (const journal of [goodJournal(), running, queued, refused])
      expect(brokenInTurn(journal)).toEqual([]);
  });

  it('finds nothing in an imported turn whose step is not written yet', () => {
    const turn = turnRow(1, { status: 'completed', due_at: 1, options: { answer: 'Yes.' } });
    expect(brokenInTurn(journalOf({ turn }))).toEqual([]);
  });

  it.each(BROKEN)('finds %s: %s', (invariant, _what, change, row) => {
    expect(brokenInTurn(goodJournal(change))).toEqual([{ invariant, row }]);
  });

  it('is shown by a case for each invariant of one turn', () => {
    const shown = new Set(BROKEN.map(([invariant]) => invariant));
    const ofOneTurn = (Object.keys(INVARIANTS) as Invariant[]).filter((name) => !ORDERED.includes(name));
    expect([...shown].sort()).toEqual(ofOneTurn.sort());
  });
});

describe('isTakenUpEarly', () => {
  const claimed = journalOf({ turn: turnRow(2), claims: [claimRow('turn_2')] });
  it('is true of a claimed turn after one that has not ended', () => {
    expect(isTakenUpEarly(claimed, turnRow(1))).toBe(true);
  });
  it.each([
    ['the turn is the first that has not ended', claimed, turnRow(2)],
    ['all turns have ended', claimed, undefined],
    ['the turn waits', journalOf({ turn: turnRow(2) }), turnRow(1)],
  ])('is false when %s', (_what, journal, firstOpen) => {
    expect(isTakenUpEarly(journal, firstOpen)).toBe(false);
  });
});
