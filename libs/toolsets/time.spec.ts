import { describe, expect, it } from '@jest/globals';
import { runTool } from '../tools/testing/index.js';
import { createTimeToolset } from './time.js';

const [now] = createTimeToolset({ wall: () => Date.parse('2026-01-31T23:05:09.500Z') }).tools();

describe('time.now', () => {
  it.each([
    [{}, '2026-01-31T23:05:09+00:00', 'Saturday, 31 January 2026, 23:05', 'UTC'],
    [
      { time_zone: 'Asia/Tokyo' },
      '2026-02-01T08:05:09+09:00',
      'Sunday, 1 February 2026, 08:05',
      'Asia/Tokyo',
    ],
    [
      { time_zone: 'america/st_johns' },
      '2026-01-31T19:35:09-03:30',
      'Saturday, 31 January 2026, 19:35',
      'America/St_Johns',
    ],
  ])('%j', async (args, iso, readable, time_zone) => {
    const result = await runTool(now!, args);
    expect(result).toMatchObject({ status: 'success', data: { iso, readable, time_zone } });
    expect(new Date(iso).toISOString()).toBe('2026-01-31T23:05:09.000Z');
  });

  it('refuses an invalid time zone, and names a valid one', async () => {
    const result = await runTool(now!, { time_zone: 'Tokyo' });
    expect(result.error).toMatchObject({
      error_type: 'ValidationError',
      error_message: expect.stringContaining('Europe/Berlin'),
      error_details: { parameter: 'time_zone', provided_value: 'Tokyo' },
    });
  });
});
