import { expect, it } from '@jest/globals';
import { callRow, journalOf, START, stepRow } from '../testing/rows.js';
import { timelineOf } from './timeline.js';
import { whyWaiting } from './why-waiting.js';

it('the name of a tool that does not exist is not shown to operators: a model wrote it', () => {
  const refusal = { error_type: 'ToolNotFound', error_message: 'There is no PLANTED.' };
  const journal = journalOf({
    steps: [stepRow(1, '', [callRow(1, { tool_name: 'unknown.planted', refusal })])],
  });
  const waiting = whyWaiting(journal, {
    ...{ now: START, me: 'gateway-1', liveness: () => 'alive', deleted: false, earlier: undefined },
    fleet: {
      ...{ orchestrators: 1, turnsQueued: 0, isPaused: () => false },
      queueOf: () => ({ workers: 1, per_second: 0 }),
    },
  });
  expect(waiting).toBeDefined();
  const shown = JSON.stringify([timelineOf(journal), waiting]);
  expect(shown).not.toMatch(/planted/i);
  expect(shown).toContain('"tool_name":"unknown"');
});
