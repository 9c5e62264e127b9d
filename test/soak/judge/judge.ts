import { statusOf } from '#turn';
import { decisionsOf, judgeApprovals } from './approvals.js';
import { judgeCalls, recordCalls, type CallRecord } from './calls.js';
import type { Finding } from './finding.js';
import type { History } from './history.js';
import { memorySlopes, type MemorySlope } from './memory.js';
import { isStrike, longestRecovery, type Recovery } from './recovery.js';
import { judgeTurns } from './turns.js';
import { judgeViewers } from './viewers.js';

export interface Verdict {
  /** Empty: every goal is met. */
  findings: Finding[];
  strikes: Record<string, number>;
  turnsAccepted: number;
  turnsEnded: Record<string, number>;
  callsByOutcome: Record<string, number>;
  /** Of the calls that ask a person. */
  approvals: Record<string, number>;
  /** Largest number of starts of one call, by class. */
  startsPerCall: Record<string, number>;
  startsAgain: number;
  unknown: number;
  compared: number;
  lostCharacters: number;
  repeatedCharacters: number;
  recovery: Recovery | undefined;
  memory: MemorySlope[];
}

/** Reads what a run left behind and says what was not as promised. */
export async function judge(history: History): Promise<Verdict> {
  const records = recordCalls(history);
  const viewers = await judgeViewers(history);
  const findings = [
    ...judgeTurns(history),
    ...judgeCalls(history, records),
    ...judgeApprovals(history, records),
    ...viewers.findings,
    ...judgeRun(history),
  ];
  const turns = history.store.flatMap(({ journals }) => journals);
  const accepted = history.requests.flatMap((request) =>
    request.what === 'accepted' ? [request.turn_id] : [],
  );
  return {
    findings,
    strikes: count(history.lives.filter(isStrike).map(nameOfStrike)),
    turnsAccepted: new Set(accepted).size,
    turnsEnded: count(turns.map(statusOf)),
    callsByOutcome: count(records.map(nameOfOutcome)),
    approvals: count(decisionsOf(records)),
    startsPerCall: mostStarts(records),
    startsAgain: records.reduce((sum, { starts }) => sum + Math.max(0, starts.length - 1), 0),
    unknown: records.filter((record) => nameOfOutcome(record) === 'OutcomeUnknown').length,
    compared: viewers.compared,
    lostCharacters: viewers.lostCharacters,
    repeatedCharacters: viewers.repeatedCharacters,
    recovery: longestRecovery(history, viewers.shown),
    memory: memorySlopes(history.memory),
  };
}

function judgeRun({ run, complaints, deadLetters, lives, store }: History): Finding[] {
  const found: Finding[] = [];
  if (store.length === 0) found.push({ goal: 'lost', what: 'nothing is in the store' });
  for (const message of run.violations)
    found.push({ goal: 'broken rule', what: `the provider refused a request: ${message}` });
  for (const { queue, reason, content } of deadLetters)
    found.push({
      goal: 'broken rule',
      what: `a message died in ${queue}: ${reason}: ${content.slice(0, 300)}`,
    });
  for (const event of lives)
    if (event.what === 'died' && event.by === 'itself')
      found.push({ goal: 'complaint', what: `${event.place} (${event.process_id}) ended by itself` });
  for (const { process_id, line } of complaints)
    found.push({ goal: 'complaint', what: `${process_id}: ${line.slice(0, 600)}` });
  return found;
}

function nameOfStrike(event: History['lives'][number]): string {
  if (event.what === 'died')
    return event.by === 'kill' ? 'killed' : event.by === 'drain' ? 'drained' : 'ended by itself';
  if (event.what !== 'struck') return event.what;
  return `${event.place} ${event.how.replace(/\d+ /, '').replace(/ \S+\.\S+$/, '')}`;
}

function nameOfOutcome({ outcome }: CallRecord): string {
  if (!outcome) return 'none';
  return outcome.status === 'failure' ? (outcome.error?.error_type ?? 'failure') : outcome.status;
}

function mostStarts(records: readonly CallRecord[]): Record<string, number> {
  const most: Record<string, number> = {};
  for (const { call, starts } of records) most[call.class] = Math.max(most[call.class] ?? 0, starts.length);
  return most;
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
