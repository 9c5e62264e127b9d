import type { FaultPointName } from '#faults';

export type Role = 'gateway' | 'orchestrator' | 'tool-worker';
export type FaultKind = 'kill' | 'freeze' | 'drop_connection' | 'delay';
const FAULT_KINDS: readonly FaultKind[] = ['kill', 'freeze', 'drop_connection', 'delay'];

/**
 * What the people do: `turn` asks for two tools at once; `stop` stops a turn with a call that runs and one that
 * waits for approval; `sweep` keeps a call running until a sweeper has looked at the turn.
 */
export type Scenario = 'turn' | 'stop' | 'sweep';
export type Toolset = 'acts' | 'repeats';

interface Place {
  role: Role;
  scenario: Scenario;
  /** What then happens to the turn, whatever the kind of fault. */
  then: string;
  overHttp?: true;
  /** Bob waits for somebody to find the turn before he asks again. */
  isFoundFirst?: true;
  /** The tool has been claimed and nobody can know whether it ran. */
  isInDoubt?: true;
}

/** Where each point is struck. A point without a place does not compile. */
export const PLACES: Record<FaultPointName, Place> = {
  turn_inserted: {
    role: 'gateway',
    scenario: 'turn',
    then: 'the turn is found and driven without its gateway, and a resend is the same turn',
  },
  turn_announced: {
    role: 'gateway',
    scenario: 'turn',
    isFoundFirst: true,
    then: 'the turn that nobody hinted is found, and a later resend is the same turn',
  },
  turn_hinted: {
    role: 'gateway',
    scenario: 'turn',
    overHttp: true,
    then: 'the turn runs once although its sender asks again',
  },
  stop_committed: {
    role: 'gateway',
    scenario: 'stop',
    then: 'the stopped turn stays stopped and its calls end without its gateway',
  },
  stop_settled: {
    role: 'gateway',
    scenario: 'stop',
    then: 'the stopped turn stays stopped, and Stop again says that nothing runs',
  },
  hint_received: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the turn is driven once, by whoever gets its hint',
  },
  turn_claimed: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the turn is driven to its end, under a next claim if need be',
  },
  token_streamed: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the step is whole, and viewers keep no word of a broken one',
  },
  model_answered: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'one answer is committed, and the other one is dropped',
  },
  step_committed: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the calls in the row are sent, and each starts as often as it may',
  },
  call_published: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the call that may be sent again starts as often as it may',
  },
  result_received: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the outcome is read from the store by whoever goes on',
  },
  cancel_committed: {
    role: 'orchestrator',
    scenario: 'stop',
    then: 'the turn ends stopped once, and its calls end',
  },
  settle_claimed: {
    role: 'orchestrator',
    scenario: 'stop',
    then: 'the call that was given up gets exactly the outcome of the claim and never starts',
  },
  ending_committed: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'viewers see one end, and the next turn begins',
  },
  turn_ended: {
    role: 'orchestrator',
    scenario: 'turn',
    then: 'the hint that comes again changes nothing',
  },
  sweep_acting: {
    role: 'orchestrator',
    scenario: 'sweep',
    then: 'somebody else acts on the turn',
  },
  call_received: {
    role: 'tool-worker',
    scenario: 'turn',
    then: 'the call is claimed and run once',
  },
  call_claimed: {
    role: 'tool-worker',
    scenario: 'turn',
    isInDoubt: true,
    then: 'what acts once is never started by anybody else, what repeats is run again',
  },
  tool_finished: {
    role: 'tool-worker',
    scenario: 'turn',
    isInDoubt: true,
    then: 'what acted once is not run again, what repeats may be',
  },
  outcome_inserted: {
    role: 'tool-worker',
    scenario: 'turn',
    then: 'the stored outcome is found, and nothing runs again',
  },
  result_hinted: {
    role: 'tool-worker',
    scenario: 'turn',
    then: 'the call that comes again finds its outcome, and nothing runs again',
  },
};

export interface FaultCase extends Place {
  point: FaultPointName;
  kind: FaultKind;
  /** Of a worker: the only toolset that the armed one hosts. */
  toolset?: Toolset;
  /** Nobody can know whether the call ran: exactly this one must end `unknown`. */
  endsUnknown: boolean;
  title: string;
}

export const POINTS = Object.keys(PLACES) as FaultPointName[];

/**
 * Every kind of fault at every point of this kind of process; where a worker is lost, on a tool of either class, since
 * the class decides what happens then.
 */
export function casesOf(role: Role): FaultCase[] {
  const points = POINTS.filter((point) => PLACES[point].role === role);
  return points.flatMap((point) =>
    FAULT_KINDS.flatMap((kind) => toolsetsOf(role, kind).map((toolset) => caseOf(point, kind, toolset))),
  );
}

function toolsetsOf(role: Role, kind: FaultKind): (Toolset | undefined)[] {
  if (role !== 'tool-worker') return [undefined];
  return isLost(kind) ? ['acts', 'repeats'] : ['acts'];
}

/** The others count a process as dead. */
function isLost(kind: FaultKind): boolean {
  return kind === 'kill' || kind === 'freeze';
}

function caseOf(point: FaultPointName, kind: FaultKind, toolset: Toolset | undefined): FaultCase {
  const place = PLACES[point];
  const endsUnknown = place.isInDoubt === true && toolset === 'acts' && isLost(kind);
  const named = [point, kind, ...(toolset ? [toolset] : [])].join(' · ');
  return { ...place, point, kind, toolset, endsUnknown, title: `${named}: ${place.then}` };
}
