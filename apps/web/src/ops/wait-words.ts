import type { Waiting, WaitReason } from '#contracts';

/** As the alert on calls that wait too long. */
const TOO_LONG_MS = 20_000;

const WORDS: Record<WaitReason, string> = {
  earlier_turn: 'an earlier turn',
  no_orchestrator: 'an orchestrator, and none is running',
  orchestrator: 'an orchestrator',
  orchestrator_lost: 'another orchestrator',
  model: 'a model',
  ending: 'its end',
  paused: 'an operator who resumes it',
  no_worker: 'a worker, and none is running',
  worker_lost: 'its worker, which is gone',
  queued: 'a worker',
  running: 'a running call',
  stopping: 'the stop of a call',
  settling: 'the end of a call',
  question: 'the answer of a person',
  approval: 'the approval of a person',
};
const STUCK: ReadonlySet<WaitReason> = new Set([
  'no_orchestrator',
  'orchestrator_lost',
  'paused',
  'no_worker',
  'worker_lost',
]);
const QUEUED: ReadonlySet<WaitReason> = new Set(['orchestrator', 'queued', 'stopping', 'settling', 'ending']);

/** What a turn waits for, after "For". */
export function waitWords({ reason }: Pick<Waiting, 'reason'>): string {
  return WORDS[reason];
}

/** It does not get on by itself, or only after far too long. Running calls, models and people may take their time. */
export function isStuck({ reason, since }: Pick<Waiting, 'reason' | 'since'>, nowMs: number): boolean {
  return STUCK.has(reason) || (QUEUED.has(reason) && nowMs - Date.parse(since) > TOO_LONG_MS);
}
