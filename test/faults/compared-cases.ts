import type { FaultPointName } from '#faults';
import type { PlannedCall } from '../soak/plan.js';
import type { FaultKind, Role } from './fault-cases.js';

/** One blow at one point, the same in a simulated world and on real processes. */
export interface ComparedCase {
  point: FaultPointName;
  kind: Exclude<FaultKind, 'delay'>;
  /** What the model asks for at once, in the one turn. */
  calls: PlannedCall[];
  /** The turn is stopped while its first call runs and its second one waits for approval. */
  isStopped?: true;
}

const QUICK_MS = 100;
/** Every call has started long before the first one ends, and that one ends long before the others. */
const FIRST_MS = 1_500;
const OTHERS_MS = 4_000;
/** Until the Stop. */
const HOLDS_MS = 15_000;

const ALL_QUICK: PlannedCall[] = ['once', 'read', 'repeat', 'keyed'].map((tool) => ({
  tool,
  takesMs: QUICK_MS,
}));
/** So that it is known which call is in hand when a worker is struck, and what the others do. */
const ONCE_FIRST: PlannedCall[] = ALL_QUICK.map(({ tool }) => ({
  tool,
  takesMs: tool === 'once' ? FIRST_MS : OTHERS_MS,
}));
const ONE_ASKED: PlannedCall[] = [
  { tool: 'once', takesMs: HOLDS_MS },
  { tool: 'asked', takesMs: 0 },
];

const turn = (
  point: FaultPointName,
  kind: ComparedCase['kind'] = 'kill',
  calls = ALL_QUICK,
): ComparedCase => ({ point, kind, calls });
const stop = (point: FaultPointName): ComparedCase => ({
  point,
  kind: 'kill',
  calls: ONE_ASKED,
  isStopped: true,
});

/** Three deaths for each kind of process, and what a signal or a broken connection does to a real one besides. */
export const COMPARED: Record<Role, ComparedCase[]> = {
  gateway: [
    turn('turn_inserted'),
    turn('turn_announced'),
    stop('stop_committed'),
    turn('turn_inserted', 'drop_connection'),
  ],
  orchestrator: [
    turn('token_streamed'),
    turn('step_committed'),
    stop('cancel_committed'),
    turn('model_answered', 'freeze'),
    turn('step_committed', 'drop_connection'),
  ],
  'tool-worker': [
    turn('call_received'),
    turn('tool_finished', 'kill', ONCE_FIRST),
    turn('outcome_inserted', 'kill', ONCE_FIRST),
    turn('tool_finished', 'freeze', ONCE_FIRST),
    turn('tool_finished', 'drop_connection', ONCE_FIRST),
  ],
};
