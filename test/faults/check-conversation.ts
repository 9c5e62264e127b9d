import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { Journal } from '#contracts';
import type { Store } from '#store';
import type { Gates } from '../e2e/gates.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { checkJournal, checkStarts, endsOfCalls, readOverHttp } from './check-turn.js';
import type { Scenario } from './fault-cases.js';
import type { WatchedConversation } from './watched-conversation.js';

/** What both people hold is what newcomers and HTTP get at every gateway, and nobody was sent a hole or a repetition. */
export async function checkViews(
  { id, viewers, mainId, nextId }: WatchedConversation,
  gateways: SwitchyardProcess[],
): Promise<void> {
  for (const turn_id of [mainId, nextId]) {
    for (const gateway of gateways) {
      const stored = await readOverHttp(gateway, id, turn_id);
      for (const viewer of viewers) {
        const held = () => viewer.turn(id, turn_id);
        // An event that was lost with a connection is made up for when its conversation has been quiet for a while.
        await waitFor(() => isDeepStrictEqual(held(), stored), { what: 'the stored view' }).catch(() =>
          expect(held()).toEqual(stored),
        );
        const view = await checkTranscript(viewer, gateway, { conversation_id: id, turn_id });
        expect(view).toEqual(stored);
      }
    }
  }
}

export interface RowsCheck {
  store: Store;
  gates: Gates;
  scenario: Scenario;
  /** Which calls of the turn that met the fault must have ended `unknown`: those, and no others. */
  unknownCalls(journal: Journal): string[];
}

/** One end, one outcome for each call, starts within their bounds, `unknown` exactly where it is justified. */
export async function checkRows(
  { mainId, nextId }: WatchedConversation,
  { store, gates, scenario, unknownCalls }: RowsCheck,
): Promise<void> {
  const main = await checkJournal(store, mainId);
  checkStarts(main, gates);
  const unknown = unknownCalls(main);
  const usual = scenario === 'stop' ? 'Cancelled' : 'success';
  const ends = main.steps.flatMap(({ calls }) =>
    calls.map(({ tool_call_id }) => (unknown.includes(tool_call_id) ? 'OutcomeUnknown' : usual)),
  );
  expect(endsOfCalls(main)).toEqual(ends);
  expect(main.steps.at(-1)?.kind).toBe(scenario === 'stop' ? 'cancel' : 'model');
  expect(endsOfCalls(await checkJournal(store, nextId))).toEqual(['success']);
}
