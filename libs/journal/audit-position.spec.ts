import { describe, expect, it } from '@jest/globals';
import { toAuditPosition } from './audit-position.js';

describe('toAuditPosition', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    [' 2026-03-01 10:00:30 ', '2026-03-01T10:00:30.000Z'],
    ['2026-03-01T10:00:00.5+02:00', '2026-03-01T08:00:00.500Z'],
    ['2026-03-01T10:00:00.000Z-abc', '2026-03-01T10:00:00.000Z-abc'],
  ])('reads %s', (text, expected) => {
    expect(toAuditPosition(text)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2026-13-01',
    '2026-02-30',
    '2026-03-01T25:00',
    '1',
    '2026-03-01T10:00:00 02:00',
  ])('refuses %j', (text) => {
    expect(toAuditPosition(text)).toBeUndefined();
  });
});
