import { variant, type Variant } from './variant.js';

/** A world with the real rules, and every way in which the turn must be able to end in it: no other may be. */
export interface Expectation {
  variant: Variant;
  ends: string[];
  /** Part of every run of the tests, so small. */
  isQuick: boolean;
}

/** Ends of a turn that nobody stops, by the class of its tool. */
const RAN = { once: ['final/done', 'final/unknown'], idempotent: ['final/done', 'final/gave_up'] };
const STOPPED = ['cancel@1', 'cancel@2/done', 'cancel@2/never_started', 'cancel@2/stopped', 'cancel@2/unknown'];

function world(name: string, isQuick: boolean, change: Partial<Variant>, ends: string[]): Expectation {
  return { variant: variant(name, change), ends, isQuick };
}

const noFaults = { faults: false, timers: false, sweeper: false, broker: 'deliveries' } as const;
const CALM_STOP = ['final/done', 'cancel@1', 'cancel@2/done', 'cancel@2/never_started', 'cancel@2/stopped'];

export const WORLDS: Expectation[] = [
  world('once', true, { user: 'waits' }, RAN.once),
  world('once, Stop', true, {}, [...RAN.once, ...STOPPED]),
  world('once, older readings', true, { user: 'waits', staleReads: true }, RAN.once),
  world('once, two copies in one worker', true, { user: 'waits', oneWorker: true }, RAN.once),
  world('idempotent', true, { user: 'waits', toolClass: 'idempotent' }, RAN.idempotent),
  world('once, no faults, no timers', true, { ...noFaults, user: 'waits' }, ['final/done']),
  world('once, Stop, no faults, no timers', true, noFaults, CALM_STOP),
];
