import { describe, expect, it } from '@jest/globals';
import { callRow, stepRow } from '../testing/rows.js';
import { endsTurn } from './ends-turn.js';

describe('endsTurn', () => {
  it.each(['end_turn', 'max_tokens', 'stop_sequence'] as const)(
    'says that a model step without calls that stopped at %s is the last one',
    (stop_reason) => {
      expect(endsTurn({}, stepRow(1, 'Done.', [], { stop_reason }))).toBe(true);
    },
  );

  it('is false for a model step with calls, a pause, a summary', () => {
    expect(endsTurn({}, stepRow(1, '', [callRow(1)]))).toBe(false);
    expect(endsTurn({}, stepRow(1, 'Wait', [], { stop_reason: 'pause_turn' }))).toBe(false);
    expect(endsTurn({}, stepRow(1, 'In short', [], { kind: 'summary' }))).toBe(false);
  });

  it('waits for the answer of a formatter, and is false for an unreadable one', () => {
    const options = { formatter: true as const };
    expect(endsTurn(options, stepRow(1, 'Done.'))).toBe(false);
    expect(endsTurn(options, stepRow(2, '', [], { final: false }))).toBe(false);
    expect(endsTurn(options, stepRow(3, 'Done.', [], { final: true }))).toBe(true);
    expect(endsTurn(options, stepRow(2, '', [], { kind: 'cancel' }))).toBe(true);
  });

  it.each(['cancel', 'fail'] as const)('is true for every %s row', (kind) => {
    expect(endsTurn({}, stepRow(1, 'Half', [], { kind, stop_reason: null }))).toBe(true);
  });
});
