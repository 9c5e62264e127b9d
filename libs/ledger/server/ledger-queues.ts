import { LEDGER_PURPOSES, ledgerQueueName, type WorkerGroup } from '#messaging';

/** One beat: an orchestrator that stands still keeps no more of them from the others. */
const PREFETCH = { calls: 20, beats: 1, bulk: 4 };

/** The queues of these groups that every orchestrator consumes. */
export function ledgerQueues(groups: readonly WorkerGroup[]): { queue: string; prefetch: number }[] {
  return groups.flatMap(({ name }) =>
    LEDGER_PURPOSES.map((purpose) => ({
      queue: ledgerQueueName(name, purpose),
      prefetch: PREFETCH[purpose],
    })),
  );
}
