import type { Checked } from '#contracts';
import { toTerminalSafe } from './terminal-safe.js';

/** One line. */
export function describeChecked({ subject, level, text, mend }: Checked): string {
  const sentence = text.endsWith('.') ? text : `${text}.`;
  const line = `${level.toUpperCase().padEnd(7)}  ${subject}: ${sentence}${mend === undefined ? '' : ` ${mend}`}`;
  return `${toTerminalSafe(line).replaceAll('\n', ' ')}\n`;
}
