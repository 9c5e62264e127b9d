import type { QueueState } from '#contracts';
import type { CallSituation } from '../rules/call-rules.js';

/** What is known of those who run calls. */
export interface CallsFleet {
  queueOf: (toolName: string) => QueueState;
  /** An operator has paused the tool or its toolset. */
  isPaused: (toolName: string) => boolean;
}

/** What is known besides the journal. */
export interface WaitSituation extends Omit<CallSituation, 'stopped' | 'stoodBack' | 'releasedAt'> {
  /** An earlier turn of the conversation that has not ended. */
  earlier?: { number: number };
  /** The conversation is marked as deleted. */
  deleted: boolean;
  fleet: CallsFleet & {
    /** Living orchestrators that do not drain. */
    orchestrators: number;
    /** Messages in the queue `turns`; undefined: the broker did not say. */
    turnsQueued: number | undefined;
  };
}
