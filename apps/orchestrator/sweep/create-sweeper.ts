import type { Ports } from '#journal';
import type { OrchestratorDeps, OrchestratorSettings } from '../deps/orchestrator.deps.js';
import { DeletedConversations } from './deleted-conversations.js';
import { DueTurns } from './due-turns.js';
import { ExpiredBindings } from './expired-bindings.js';
import { oldApprovalRequests, oldConnections, oldDeadLetters, oldUsage } from './old-rows.js';
import { Sweeper } from './sweeper.js';
import type { TurnHints } from './turn-hints.js';

export interface SweeperParts {
  settings: Pick<OrchestratorSettings, 'retentionDays' | 'deadLetterDays' | 'usage'>;
  peers: Pick<OrchestratorDeps['peers'], 'listUnchangedFor'>;
  /** Wakes a turn that this process drives; false if it drives no such turn. */
  wake: (turnId: string) => boolean;
  hints: TurnHints;
}

/** The sweeper with all the tasks of a deployment. */
export function createSweeper(ports: Ports, { settings, peers, wake, hints }: SweeperParts): Sweeper {
  const { store } = ports;
  const swept = [
    new DueTurns(ports, wake, hints),
    new DeletedConversations(ports, settings.retentionDays),
    new ExpiredBindings(store),
    oldUsage(store, settings.usage.keepDays),
    oldDeadLetters(store, settings.deadLetterDays),
    oldApprovalRequests(store),
    oldConnections(store),
  ];
  return new Sweeper(ports, swept, (durationMs) => peers.listUnchangedFor(durationMs));
}
