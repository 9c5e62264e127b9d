import { expect } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { endsOf } from './models-chat.js';
import { Viewer } from './viewer.js';

/** Levels of nesting far beyond what a recursive function survives. */
export const DEEP = 20_000;
export const deepArray = '['.repeat(DEEP) + ']'.repeat(DEEP);
export const deepObject = '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP);

/** The same process still answers a newcomer, and nothing in its log says that an error went its own way. */
export async function expectUnharmed(
  process: SwitchyardProcess,
  auth: Record<string, string> = {},
): Promise<void> {
  const viewer = await Viewer.connect(process.url, auth);
  const { conversation_id, turn_id } = await viewer.send('what is 17 + 25?');
  expect(endsOf(await viewer.ended(conversation_id, turn_id))).toEqual([['succeeded', '42']]);
  viewer.close();
  expect(process.isRunning).toBe(true);
  expect(process.log).not.toMatch(/"level":"(error|fatal)"|uncaught|unhandled/i);
  expect(process.log).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
}
