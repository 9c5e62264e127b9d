import {
  completeResult,
  errorDetail,
  type Call,
  type Claim,
  type Journal,
  type Outcome,
  type Step,
  type ToolClass,
} from '#contracts';
import { runClaim, stoppedWhileRunning, neverStarted, mayHaveRun, settleClaim } from '#turn';
import type { CallName, CallRows, End, Owner, TurnRows, Worker } from './state.js';

const PLACE = { turn_id: 'turn_1', conversation_id: 'conv_1' };
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const times = new Map<number, string>();
/** Of a few moments, asked for with every row of every state. */
function at(ms: number): string {
  const known = times.get(ms) ?? new Date(BEGIN + ms).toISOString();
  times.set(ms, known);
  return known;
}

/** What a process's clock may show: in time, past the call's deadline, past the turn's budget. */
export const CLOCKS = { early: BEGIN + 2_000, late: BEGIN + 120_000, over: BEGIN + 900_000 } as const;
export type Clock = keyof typeof CLOCKS;

export const CALL_IDS: Record<CallName, string> = {
  a: `call_${'a'.repeat(22)}`,
  b: `call_${'b'.repeat(22)}`,
};

const PROCESS_IDS: Record<Owner, string> = {
  none: 'nobody',
  gone: 'process-0',
  o1: 'orchestrator-1',
  o2: 'orchestrator-2',
  w1: 'worker-1',
  w2: 'worker-2',
};
export const processId = (owner: Owner): string => PROCESS_IDS[owner];

export function workerOf(processId: string): Worker | undefined {
  return (['w1', 'w2'] as const).find((worker) => PROCESS_IDS[worker] === processId);
}

/** Who owns the turn's claims, as one process knows it. */
export interface Driving {
  me: Owner;
  knowsOvertaken: boolean;
}

/** The rows as production reads them. `call`: of the call that the first step asks for. */
export function journalOf(
  turn: TurnRows,
  call: CallRows | undefined,
  toolClass: ToolClass,
  driving?: Driving,
): Journal {
  const name: CallName = turn.step1 === 'asks_b' ? 'b' : 'a';
  const steps = stepsOf(turn, callRow(name, toolClass));
  return {
    turn: {
      _id: PLACE.turn_id,
      conversation_id: PLACE.conversation_id,
      number: 1,
      user_id: 'user_1',
      client_message_id: 'message-1',
      content: 'What is 17 + 25?',
      options: {},
      at: at(0),
      status: 'queued',
      due_at: turn.due ? BEGIN : null,
    },
    steps,
    claims: [...turnClaims(turn, driving), ...(call ? claimsOf(name, call) : [])],
    outcomes: call && call.outcome !== 'none' ? [outcomeOf(name, call.outcome)] : [],
    answers: [],
  };
}

export function callRow(name: CallName, toolClass: ToolClass): Call {
  return {
    tool_call_id: CALL_IDS[name],
    tool_name: 'math.add',
    display_name: 'add',
    source: 'local',
    arguments: {},
    class: toolClass,
    timeout_ms: 1_000,
    approval: 'none',
  };
}

export function claimsOf(name: CallName, call: CallRows): Claim[] {
  if (call.attempt === 0) return [];
  const by = (owner: Owner) => ({ ...PLACE, owner: processId(owner), at: at(2_000) });
  if (call.purpose === 'settle') {
    const { decides: _decides, ...claim } = settleClaim(outcomeOf(name, call.decides), processId(call.owner));
    return [call.decides === 'none' ? claim : { ...claim, decides: outcomeOf(name, call.decides) }];
  }
  const earlier: Owner[] = [];
  if (call.lost) earlier.push('gone');
  if (call.earlier !== 'none') earlier.push(call.earlier);
  return Array.from({ length: call.attempt }, (_, i) =>
    runClaim(CALL_IDS[name], i + 1, by(earlier[i] ?? call.owner)),
  );
}

function turnClaims(turn: TurnRows, driving: Driving | undefined): Claim[] {
  const claim = (n: number, owner: Owner) =>
    runClaim(PLACE.turn_id, n, { ...PLACE, owner: processId(owner), at: at(500) });
  if (!driving) return turn.driver === 'none' ? [] : [claim(1, turn.driver)];
  return driving.knowsOvertaken ? [claim(1, driving.me), claim(2, turn.driver)] : [claim(1, driving.me)];
}

function stepsOf(turn: TurnRows, call: Call): Step[] {
  const steps: Step[] = [];
  const add = (n: number, kind: Step['kind'], calls: Call[] = []) =>
    steps.push({
      _id: `${PLACE.turn_id}:${n}`,
      ...PLACE,
      turn_number: 1,
      n,
      attempt: 100,
      kind,
      blocks: [],
      calls,
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      usage: null,
      at: at(1_000 * n),
    });
  if (turn.step1 === 'cancel' || turn.step1 === 'fail') add(1, turn.step1);
  else if (turn.step1 !== 'none') add(1, 'model', [call]);
  if (turn.step2 === 'final') add(2, 'model');
  else if (turn.step2 === 'both') add(2, 'cancel');
  else if (turn.step2 !== 'none') add(2, turn.step2);
  return steps;
}

const ERRORS: Partial<Record<End, Outcome['error']>> = {
  never_started: neverStarted(),
  stopped: stoppedWhileRunning(),
  unknown: mayHaveRun(),
  too_late: errorDetail('TimeoutError', 'too late', { started: false }),
  no_worker: errorDetail('DependencyUnavailable', 'no worker'),
  gave_up: errorDetail('ToolExecutionError', 'gave up'),
};

export function outcomeOf(name: CallName, end: End): Outcome {
  return {
    _id: CALL_IDS[name],
    ...PLACE,
    n: 1,
    ...completeResult({ status: end === 'done' ? 'success' : 'failure', error: ERRORS[end] }),
    attempt: 0,
    worker: 'worker-1',
    duration_ms: 0,
    at: at(1_500),
  };
}

/** Which of the model's ends a row of production is. */
export function endOf({ status, error }: Pick<Outcome, 'status' | 'error'>): End {
  if (status !== 'failure' || !error) return 'done';
  const { started } = (error.error_details ?? {}) as { started?: boolean };
  switch (error.error_type) {
    case 'Cancelled':
      return started ? 'stopped' : 'never_started';
    case 'TimeoutError':
      return 'too_late';
    case 'DependencyUnavailable':
      return 'no_worker';
    case 'OutcomeUnknown':
      return 'unknown';
    default:
      return 'gave_up';
  }
}
