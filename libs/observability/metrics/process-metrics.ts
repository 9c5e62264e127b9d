import type { MetricSubject } from './metric-subject.js';

/**
 * `turn_hinted`: of a lost driver. `turn_taken_over`: claimed again. `turn_finished`: what follows the end of a turn was
 * done by the sweeper. `status_corrected`: a cached status. `dead_…`: what a dead letter was about.
 */
const REPAIRS = [
  'turn_hinted',
  'turn_finished',
  'turn_taken_over',
  'status_corrected',
  'dead_hint',
  'dead_call',
  'dead_turn',
] as const;
export type Repair = (typeof REPAIRS)[number];

export const processMetrics = (about: MetricSubject) => ({
  info: about.gauge({
    name: 'switchyard_info',
    help: 'Always 1; the labels say what the process is.',
    labels: { version: 'open', role: ['gateway', 'orchestrator', 'worker'] },
    maxOpen: 4,
  }),
  ready: about.gauge({
    name: 'switchyard_ready',
    help: 'Whether this process takes work: 1 or 0, as `/health/ready` says, or said at the last scrape while a check takes longer than 0.5 s.',
  }),
  refusals: about.counter({
    name: 'switchyard_refusals_total',
    help: 'Work that a limit of this process refused, cut off or held back, by limit; `limit reached` in the log names the user or address, at most once a minute for each limit.',
    labels: { limit: 'open' },
    maxOpen: 53,
  }),
  repairs: about.counter({
    name: 'switchyard_repairs_total',
    help: 'What this orchestrator mended after a process, a message or a write was lost, by kind.',
    labels: { kind: REPAIRS },
    startsAtZero: true,
  }),
});
