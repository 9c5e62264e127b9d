import type { BusLogger } from '#messaging';

export interface RecordedLog extends BusLogger {
  lines: ({ level: string; message: string } & Record<string, unknown>)[];
}

export function recordLog(): RecordedLog {
  const lines: RecordedLog['lines'] = [];
  const record = (level: string) => (fields: object, message: string) =>
    void lines.push({ ...fields, level, message });
  return { lines, info: record('info'), warn: record('warn'), error: record('error') };
}
