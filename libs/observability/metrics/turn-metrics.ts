import type { MetricSubject } from './metric-subject.js';

/** Seconds, from an answer known in advance to a turn that waits for a person. */
const TURN_BUCKETS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const FIRST_TOKEN_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const STEP_KINDS = ['model', 'summary'] as const;
export const TURN_CODES = [
  'none',
  'model_error',
  'refused',
  'context_overflow',
  'budget_exceeded',
  'internal',
] as const;

export const turnMetrics = (about: MetricSubject) => ({
  turnsStarted: about.counter({
    name: 'switchyard_turns_started_total',
    help: 'Turns that this orchestrator began to drive; a turn that is taken over counts again.',
  }),
  turnsEnded: about.counter({
    name: 'switchyard_turns_ended_total',
    help: 'Turns whose last row this process wrote, by status, and by code for those that failed.',
    labels: { status: ['completed', 'failed', 'cancelled'], code: TURN_CODES },
    startsAtZero: true,
  }),
  turnDuration: about.histogram({
    name: 'switchyard_turn_duration_seconds',
    help: 'Time from the message to the end of its turn, waiting for people included, by status.',
    labels: { status: ['completed', 'failed', 'cancelled'] },
    buckets: TURN_BUCKETS,
  }),
  turnFirstToken: about.histogram({
    name: 'switchyard_turn_first_token_seconds',
    help: 'Time from the message to the first text of its turn.',
    buckets: FIRST_TOKEN_BUCKETS,
  }),
  turnsDriven: about.gauge({
    name: 'switchyard_turns_driven',
    help: 'Turns that this orchestrator drives now: they ask a model, or wait for their calls or people.',
    labels: { state: ['model', 'calls'] },
  }),
  stepDuration: about.histogram({
    name: 'switchyard_step_duration_seconds',
    help: 'Time of a step, from its request to its row, retries included, by kind.',
    labels: { kind: STEP_KINDS },
    buckets: TURN_BUCKETS,
  }),
});
