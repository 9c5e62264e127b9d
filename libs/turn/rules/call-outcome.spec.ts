import { describe, expect, it } from '@jest/globals';
import { ERROR_TYPES, errorDetail, type ErrorType } from '#contracts';
import { pausedDetail } from './give-up-rules.js';
import { CALL_OUTCOMES, callOutcome, errorTypeLabel } from './call-outcome.js';

const plain = { approval: 'none' } as const;
const failed = (type: ErrorType, attempt: number) => ({
  attempt,
  status: 'failure' as const,
  error: errorDetail(type, 'No.'),
});

describe('the outcome of a call in one word', () => {
  it.each([
    ['success', { attempt: 1, status: 'success', error: null }],
    ['no_change_needed', { attempt: 2, status: 'no_change_needed', error: null }],
    ['partial_success', { attempt: 1, status: 'partial_success', error: errorDetail('TimeoutError', 'No.') }],
    ['failure', failed('ToolExecutionError', 1)],
    ['failure', failed('PermissionError', 1)],
    ['unknown', failed('OutcomeUnknown', 1)],
    ['unknown', failed('OutcomeUnknown', 0)],
    ['cancelled', failed('Cancelled', 1)],
    ['cancelled', failed('Cancelled', 0)],
    ['refused', failed('ValidationError', 0)],
    ['refused', failed('ToolNotFound', 0)],
    ['refused', failed('ApiLimitExceeded', 0)],
    ['refused', failed('PermissionError', 0)],
    ['expired', failed('TimeoutError', 0)],
    ['no_worker', failed('DependencyUnavailable', 0)],
    ['dead_lettered', failed('ToolExecutionError', 0)],
  ] as const)('is %s', (expected, outcome) => {
    expect(callOutcome(plain, outcome, true)).toBe(expected);
  });

  it('is denied only if the call had asked for an approval', () => {
    expect(callOutcome({ approval: 'required' }, failed('PermissionError', 0), true)).toBe('denied');
  });

  it('is refused, and not without a worker, when an operator has paused it', () => {
    const pause = { _id: '', kind: 'toolset', name: 'web', by: 'olga', at: '' } as const;
    const error = pausedDetail('web.search', pause, { wasClaimed: false });
    expect(callOutcome(plain, { attempt: 0, status: 'failure', error }, true)).toBe('refused');
  });

  it('is late if another outcome stands', () => {
    expect(callOutcome(plain, failed('TimeoutError', 1), false)).toBe('late');
  });

  it('is always one of the listed words', () => {
    const all = ERROR_TYPES.flatMap((type) =>
      [0, 1].map((attempt) => callOutcome(plain, failed(type, attempt), true)),
    );
    expect(CALL_OUTCOMES).toEqual(expect.arrayContaining([...new Set(all)]));
  });
});

describe('the error type of a call as a label', () => {
  it('is none without an error, and ToolExecutionError for a type that is not known', () => {
    expect(errorTypeLabel({ error: null })).toBe('none');
    expect(errorTypeLabel({ error: { error_type: 'banana', error_message: 'No.' } })).toBe(
      'ToolExecutionError',
    );
    expect(errorTypeLabel(failed('TimeoutError', 1))).toBe('TimeoutError');
  });
});
