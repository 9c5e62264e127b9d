import type { Journal, Step } from '#contracts';
import { brokenInTurn, endingStep, INVARIANTS, openCalls, statusOf, textOf } from '#turn';
import { findFault } from '../said.js';
import { goalOf, type Finding } from './finding.js';
import { groupBy } from './group-by.js';
import type { History } from './history.js';

/** Each accepted message is one turn, and each turn has one end. */
export function judgeTurns({ store, requests }: Pick<History, 'store' | 'requests'>): Finding[] {
  const journals = store.flatMap((stored) => stored.journals);
  return [
    ...judgeAccepted(journals, requests),
    ...store.flatMap(judgeNumbers),
    ...journals.flatMap((journal) => [...judgeEnd(journal), ...judgeTexts(journal)]),
  ];
}

function judgeAccepted(journals: Journal[], requests: History['requests']): Finding[] {
  const found: Finding[] = [];
  const accepted = new Map<string, Set<string>>();
  for (const request of requests)
    if (request.what === 'accepted') {
      const { client_message_id, turn_id } = request;
      accepted.set(client_message_id, (accepted.get(client_message_id) ?? new Set()).add(turn_id));
    }
  const turnsOf = groupBy(journals, ({ turn }) => turn.client_message_id);
  for (const [name, turnIds] of accepted) {
    if (turnIds.size > 1)
      found.push({ goal: 'doubled', what: `message ${name} was accepted as ${[...turnIds].join(' and ')}` });
    const stored = turnsOf.get(name)?.map(({ turn }) => turn._id) ?? [];
    for (const turnId of turnIds)
      if (!stored.includes(turnId))
        found.push({ goal: 'lost', what: `message ${name} was accepted as ${turnId}, which does not exist` });
  }
  for (const [name, turns] of turnsOf)
    if (turns.length > 1)
      found.push({ goal: 'doubled', what: `message ${name} became ${turns.length} turns` });
  return found;
}

function judgeNumbers({ conversation, journals }: History['store'][number]): Finding[] {
  const numbers = journals.map(({ turn }) => turn.number);
  if (numbers.every((number, i) => number === i + 1)) return [];
  return [{ goal: 'broken rule', what: `${conversation._id}: turns are numbered ${numbers.join(', ')}` }];
}

function judgeEnd(journal: Journal): Finding[] {
  const { turn } = journal;
  const name = `turn ${turn._id} (${turn.client_message_id})`;
  if (!endingStep(journal)) return [{ goal: 'lost', what: `${name} has not ended: ${statusOf(journal)}` }];
  const found: Finding[] = brokenInTurn(journal).map(({ invariant, row }) => ({
    goal: goalOf(invariant),
    what: `${name}: ${row}: ${INVARIANTS[invariant].means}`,
  }));
  for (const { call } of openCalls(journal))
    found.push({ goal: 'lost', what: `${name}: call ${call.tool_call_id} has no outcome` });
  if (turn.status !== statusOf(journal))
    found.push({
      goal: 'broken rule',
      what: `${name} is cached as ${turn.status}, but is ${statusOf(journal)}`,
    });
  return found;
}

function judgeTexts({ turn, steps }: Journal): Finding[] {
  return steps.flatMap((step) => {
    const fault = findFault(textOf(step), { whole: isWhole(step) });
    if (fault === undefined) return [];
    return [{ goal: 'characters lost or repeated', what: `turn ${turn._id}, step ${step.n}: ${fault}` }];
  });
}

function isWhole({ kind }: Step): boolean {
  return kind === 'model';
}
