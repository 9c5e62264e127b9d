import { z } from 'zod';
import type { Clock } from '#time';
import { defineTool, defineToolset, ToolError, type ToolsetHost } from '#tools';

const input = z.strictObject({
  time_zone: z
    .string()
    .max(64)
    .optional()
    .describe('IANA name of a time zone, like Asia/Tokyo or America/New_York; default UTC'),
});

export function createTimeToolset(clock: Pick<Clock, 'wall'>): ToolsetHost {
  return defineToolset({
    name: 'time',
    version: '1.0.1',
    tools: [
      defineTool({
        name: 'now',
        description:
          'Returns the current date and time, in UTC or in the time zone of a place. Use it whenever an answer depends on ' +
          'what day or time it is.',
        input,
        class: 'read',
        timeoutMs: 5000,
        run: ({ time_zone = 'UTC' }) => describeTime(clock.wall(), time_zone),
      }),
    ],
  });
}

function describeTime(at: number, timeZone: string) {
  const format = formatIn(timeZone);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { weekday, month, day, year, hour, minute, second } = parts;
  const offset = parts.timeZoneName === 'GMT' ? '+00:00' : parts.timeZoneName!.slice('GMT'.length);
  const monthNumber = String(MONTHS.indexOf(month!) + 1).padStart(2, '0');
  return {
    iso: `${year}-${monthNumber}-${day!.padStart(2, '0')}T${hour}:${minute}:${second}${offset}`,
    readable: `${weekday}, ${day} ${month} ${year}, ${hour}:${minute}`,
    time_zone: format.resolvedOptions().timeZone,
  };
}

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

function formatIn(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
  } catch {
    const constraint = 'must be the IANA name of a time zone, like Europe/Berlin';
    throw new ToolError({
      error_type: 'ValidationError',
      error_message: `time_zone: ${constraint}`,
      error_details: { parameter: 'time_zone', provided_value: timeZone, constraint },
    });
  }
}
