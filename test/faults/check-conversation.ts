import { expect } from '@jest/globals';
import type { Store } from '#store';
import type { Gates } from '../e2e/gates.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { checkCaches, checkJournal, checkStarts, endsOfCalls, readOverHttp } from './check-turn.js';
import type { Scenario } from './fault-cases.js';
import type { WatchedConversation } from './watched-conversation.js';

/** How the turn that met the fault may have ended, beside `success` of every call. */
export interface Expected {
  scenario: Scenario;
  /** Whether its call of a `once` tool ended `unknown`. */
  endedUnknown: boolean;
}

/** What both people hold is what newcomers and HTTP get at every gateway, and nobody was sent a hole or a repetition. */
export async function checkViews(
  conversation: WatchedConversation,
  gateways: SwitchyardProcess[],
): Promise<void> {
  const { id, viewers, mainId, nextId } = conversation;
  for (const turn_id of [mainId, nextId]) {
    for (const gateway of gateways) {
      for (const viewer of viewers) {
        const view = await checkTranscript(viewer, gateway, { conversation_id: id, turn_id });
        expect(await readOverHttp(gateway, id, turn_id)).toEqual(view);
      }
    }
  }
}

/** One end, one outcome for each call, starts within their bounds, `unknown` exactly where it is justified. */
export async function checkRows(
  conversation: WatchedConversation,
  store: Store,
  gates: Gates,
  { scenario, endedUnknown }: Expected,
): Promise<void> {
  const main = await checkJournal(store, conversation.mainId);
  checkStarts(main, gates);
  const status = scenario === 'stop' ? 'cancelled' : 'completed';
  const first = endedUnknown ? 'OutcomeUnknown' : 'success';
  expect({ ends: endsOfCalls(main), kind: main.steps.at(-1)?.kind }).toEqual(
    scenario === 'stop'
      ? { ends: ['Cancelled', 'Cancelled'], kind: 'cancel' }
      : { ends: [first, 'success'], kind: 'model' },
  );
  const next = await checkJournal(store, conversation.nextId);
  expect(endsOfCalls(next)).toEqual(['success']);
  await checkCaches(store, conversation.mainId, status);
  await checkCaches(store, conversation.nextId, 'completed');
}
