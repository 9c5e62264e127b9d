import { describe, expect, it } from '@jest/globals';
import { readRequestedWaitMs } from './failed-request.js';

const NOW_MS = Date.parse('2026-01-01T00:00:00Z');

describe('readRequestedWaitMs', () => {
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1500' }, 1_500],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('reads %j as %s', (headers, expected) => {
    expect(readRequestedWaitMs(new Headers(headers as Record<string, string>), NOW_MS)).toBe(expected);
  });
});
