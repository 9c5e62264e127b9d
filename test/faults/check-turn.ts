import { expect } from '@jest/globals';
import type { Journal, TurnView } from '#contracts';
import type { Store } from '#store';
import { claimsOn, endsTurn, outcomeOf } from '#turn';
import { requestJson } from '../e2e/standalone-process.js';
import type { Gates } from '../e2e/gates.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';

const CACHES_MS = 20_000;

/** The journal of an ended turn: steps without a hole, one end, and for each call a claim and one outcome. */
export async function checkJournal(store: Store, turnId: string): Promise<Journal> {
  const journal = await store.readJournal(turnId);
  if (!journal) throw new Error(`${turnId} is not in the store`);
  const { turn, steps, outcomes } = journal;
  expect(steps.map(({ n }) => n)).toEqual(steps.map((_, index) => index + 1));
  expect(steps.filter((step) => endsTurn(turn.options, step))).toEqual([steps.at(-1)]);
  const calls = steps.flatMap((step) => step.calls.map(({ tool_call_id }) => tool_call_id));
  expect(outcomes.map(({ _id }) => _id).sort()).toEqual([...calls].sort());
  for (const call of calls) {
    const claims = claimsOn(journal, call);
    expect(claims.map(({ n }) => n)).toEqual(claims.map((_, index) => index + 1));
    expect([1, 2, 3]).toContain(claims.length);
  }
  return journal;
}

/** What lists and the sweeper go by comes right in the end. */
export async function checkCaches(store: Store, turnId: string, status: string): Promise<void> {
  const cached = async () => {
    const turn = await store.getTurn(turnId);
    return turn?.status === status && turn.due_at === null;
  };
  await waitFor(cached, { what: `the caches of ${turnId}`, timeoutMs: CACHES_MS });
}

/** Each tool wrote down its starts: `once` at most one, others at most one for each claim to run. */
export function checkStarts(journal: Journal, gates: Gates): void {
  for (const call of journal.steps.flatMap(({ calls }) => calls)) {
    const { name } = call.arguments;
    if (typeof name !== 'string') continue;
    const outcome = outcomeOf(journal, call.tool_call_id);
    const claims = claimsOn(journal, call.tool_call_id).filter(({ purpose }) => purpose === 'run');
    const starts = gates.starts(name);
    expect(starts).toBeLessThanOrEqual(call.class === 'once' ? 1 : claims.length);
    if (outcome?.status === 'success') expect(starts).toBeGreaterThan(0);
  }
}

/** `success`, or the kind of error, in the order of the calls. */
export function endsOfCalls(journal: Journal): string[] {
  return journal.steps.flatMap(({ calls }) =>
    calls.map(({ tool_call_id }) => {
      const outcome = outcomeOf(journal, tool_call_id);
      return outcome?.error?.error_type ?? outcome?.status ?? 'open';
    }),
  );
}

/** The turn as HTTP reads it. */
export async function readOverHttp(
  gateway: SwitchyardProcess,
  conversationId: string,
  turnId: string,
): Promise<TurnView | undefined> {
  const { body } = await requestJson<{ turns: TurnView[] }>(
    `${gateway.url}/api/conversations/${conversationId}/turns`,
  );
  return body.turns.find((turn) => turn.turn_id === turnId);
}
