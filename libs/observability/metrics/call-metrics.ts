import { ERROR_TYPES } from '#contracts';
import { CALL_OUTCOMES } from '#turn';
import type { MetricSubject } from './metric-subject.js';

/** Seconds, from a bus hop to the longest tool. */
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const QUEUE_BUCKETS = [0.01, 0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300];
const byToolset = { toolset: 'open' } as const;

export const callMetrics = (about: MetricSubject) => ({
  toolCalls: about.counter({
    name: 'switchyard_tool_calls_total',
    help: 'Tool calls that ended, counted by the process that settled them (`late`: that lost to another outcome); `other`: no such tool.',
    labels: { toolset: 'open', outcome: CALL_OUTCOMES, error_type: ['none', ...ERROR_TYPES] },
    maxOpen: 200,
  }),
  toolCallDuration: about.histogram({
    name: 'switchyard_tool_call_duration_seconds',
    help: 'Run time of tool calls in this worker.',
    labels: byToolset,
    maxOpen: 15,
    buckets: CALL_BUCKETS,
  }),
  toolCallWait: about.histogram({
    name: 'switchyard_tool_call_wait_seconds',
    help: 'Time from the sending of a tool call to the claim by this worker: the queue, and the way.',
    labels: byToolset,
    maxOpen: 15,
    buckets: QUEUE_BUCKETS,
  }),
  oldestWaitingCall: about.gauge({
    name: 'switchyard_oldest_waiting_call_seconds',
    help: 'How long the oldest call of the turns that this orchestrator drives has waited for a worker to claim it, by toolset; calls that are held back do not count. From the journal, so up to 2 s late.',
    labels: byToolset,
  }),
  toolCallsRunning: about.gauge({
    name: 'switchyard_tool_calls_running',
    help: 'Tool calls that this worker runs now.',
    labels: byToolset,
  }),
  toolCallSlots: about.gauge({
    name: 'switchyard_tool_call_slots',
    help: 'Tool calls of a toolset that this worker takes at once.',
    labels: byToolset,
  }),
  callsHeld: about.gauge({
    name: 'switchyard_calls_held',
    help: 'Calls that this orchestrator holds back until their user has less in the queue; they are not in `tools.<toolset>`.',
    labels: byToolset,
  }),
  toolRateRefusals: about.counter({
    name: 'switchyard_tool_rate_refusals_total',
    help: 'Tool calls that this worker refused because of a configured rate.',
    labels: byToolset,
  }),
});

export const definitionMetrics = (about: MetricSubject) => ({
  toolOutputProblems: about.counter({
    name: 'switchyard_tool_output_problems_total',
    help: 'Results of calls in this worker that broke the output schema of their tool (`broken`), or could not be checked against it in time (`unchecked`).',
    labels: { toolset: 'open', kind: ['broken', 'unchecked'] },
    maxOpen: 5,
  }),
  toolDefinitionChanges: about.counter({
    name: 'switchyard_tool_definition_changes_total',
    help: 'Known tools whose definition changed within the same version.',
    labels: byToolset,
    maxOpen: 5,
  }),
  toolBreakingChanges: about.counter({
    name: 'switchyard_tool_breaking_changes_total',
    help: 'Definitions of tools that broke an earlier one without a new major version.',
    labels: byToolset,
    maxOpen: 5,
  }),
  scopedToolsetConflicts: about.counter({
    name: 'switchyard_scoped_toolset_conflicts_total',
    help: 'Times that a second worker announced a toolset with a scope.',
    labels: byToolset,
    maxOpen: 5,
  }),
});
