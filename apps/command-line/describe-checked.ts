import type { Checked } from '#contracts';
import { toTerminalSafe } from './terminal-safe.js';

/** One line. */
export function describeChecked({ subject, level, text, mend }: Checked): string {
  const line = `${level.toUpperCase().padEnd(7)}  ${subject}: ${text}.${mend === undefined ? '' : ` ${mend}`}`;
  return `${toTerminalSafe(line).replaceAll('\n', ' ').replace('..', '.')}\n`;
}
