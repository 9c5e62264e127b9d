import { toPrintableLine } from './redact.js';

const COLORS: Record<string, number> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
/** Fields that a person at a terminal does not need in every line. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'role', 'err']);

/**
 * A pino destination that turns each JSON line into a short readable one:
 * `12:03:11.123 INFO  gateway: turn ended turn_id=… status=completed`.
 */
export function createReadableStream(
  write: (text: string) => void,
  options: { colors: boolean },
): { write(line: string): void } {
  return { write: (line) => write(formatLine(line, options.colors)) };
}

export function formatLine(line: string, colors: boolean): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return `${toPrintableLine(line)}\n`;
  }
  const level = typeof record.level === 'string' ? record.level : 'info';
  const label = level.toUpperCase().padEnd(5);
  const fields = Object.entries(record)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${formatValue(value)}`);
  const head = [
    formatTime(record.time),
    colors ? `\u001b[${COLORS[level] ?? 0}m${label}\u001b[0m` : label,
    ...(record.role === undefined ? [] : [`${formatValue(record.role)}:`]),
    ...(typeof record.msg === 'string' ? [toPrintableLine(record.msg)] : []),
  ];
  return `${[...head, ...fields].join(' ')}\n${formatError(record.err)}`;
}

function formatTime(time: unknown): string {
  const date = new Date(typeof time === 'string' || typeof time === 'number' ? time : Number.NaN);
  if (Number.isNaN(date.getTime())) return '--:--:--.---';
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

function formatValue(value: unknown): string {
  if (typeof value === 'string')
    return /^[^\s"=]+$/.test(value) ? toPrintableLine(value) : JSON.stringify(toPrintableLine(value));
  return toPrintableLine(JSON.stringify(value) ?? '');
}

/** The error and its causes below their line, indented, so that their text cannot look like a separate line. */
function formatError(error: unknown, prefix = ''): string {
  if (typeof error !== 'object' || error === null) return '';
  const { type, message, stack, cause } = error as Record<string, unknown>;
  const lines = [
    `${prefix}${String(type)}: ${String(message)}`,
    ...(Array.isArray(stack) ? stack.map((line) => `  ${String(line)}`) : []),
  ];
  return lines.map((line) => `    ${toPrintableLine(line)}\n`).join('') + formatError(cause, 'caused by ');
}
