import { variant, type Variant } from './variant.js';

/** A world with the real rules, and every way in which the turn must be able to end in it: no other may be. */
export interface Expectation {
  variant: Variant;
  ends: string[];
  /** Explored by every run of the tests; all of them together stay below {@link MAX_QUICK_STATES}. */
  isQuick: boolean;
}

export const MAX_QUICK_STATES = 400_000;

/** Ends of a turn that nobody stops, by the class of its tool. */
const RAN = { once: ['final/done', 'final/unknown'], idempotent: ['final/done', 'final/gave_up'] };
const STOPPED = [
  'cancel@1',
  'cancel@2/done',
  'cancel@2/never_started',
  'cancel@2/stopped',
  'cancel@2/unknown',
];

function world(name: string, isQuick: boolean, change: Partial<Variant>, ends: string[]): Expectation {
  return { variant: variant(name, change), ends, isQuick };
}

const noFaults = { faults: false, timers: false, sweeper: false, broker: 'deliveries' } as const;
/** A restarted broker, slow writes, stalls: everything may be lost, late or suspected, and nobody is dead. */
const noDeaths = { deaths: false, suspicion: 'suspect' } as const;
const CALM_STOP = ['final/done', 'cancel@1', 'cancel@2/done', 'cancel@2/never_started', 'cancel@2/stopped'];

/** A turn past its budget ends with a `fail` row; its calls end as those of a stopped one, or as they would have. */
const LATE = [
  'fail@1',
  ...['done', 'never_started', 'stopped', 'unknown', 'too_late', 'no_worker'].map((end) => `fail@2/${end}`),
  'final/too_late',
  'final/no_worker',
];
const ENDLESS_STOP = [
  'cancel@1',
  'cancel@2/never_started',
  'cancel@2/stopped',
  'cancel@2/unknown',
  'final/unknown',
];

export const WORLDS: Expectation[] = [
  world('once', true, { user: 'waits' }, RAN.once),
  world('once, Stop', true, {}, [...RAN.once, ...STOPPED]),
  world('once, older readings', true, { user: 'waits', staleReads: true }, RAN.once),
  world('once, two copies in one worker', true, { user: 'waits', oneWorker: true }, RAN.once),
  world('once, Delete, one of each', true, { user: 'deletes', alone: true }, [...RAN.once, 'removed']),
  world('once, no faults, no timers', true, { ...noFaults, user: 'waits' }, ['final/done']),
  world('once, Stop, no faults, no timers', true, noFaults, CALM_STOP),
  world('idempotent', true, { user: 'waits', toolClass: 'idempotent' }, RAN.idempotent),
  world('idempotent, Stop, one of each', true, { toolClass: 'idempotent', alone: true }, [
    ...RAN.idempotent,
    ...STOPPED,
    'cancel@2/gave_up',
  ]),
  world(
    'once, held calls, clocks, one of each',
    true,
    { user: 'waits', holds: true, clocks: true, alone: true },
    [...RAN.once, ...LATE],
  ),
  world('once, Stop, held calls, one of each', true, { holds: true, alone: true }, [...RAN.once, ...STOPPED]),
  world('once, the ledger', true, { user: 'waits', ledger: true }, RAN.once),
  world('once, Stop, the ledger, one of each', true, { ledger: true, alone: true }, [
    ...RAN.once,
    ...STOPPED,
  ]),
  world('once, the ledger, no process dies', true, { ...noDeaths, user: 'waits', ledger: true }, [
    'final/done',
  ]),
  world(
    'once, the ledger, held calls, clocks, one of each',
    true,
    { user: 'waits', ledger: true, holds: true, clocks: true, alone: true },
    [...RAN.once, ...LATE],
  ),
  world(
    'idempotent, Stop, no process wrongly called dead, one driver',
    false,
    { toolClass: 'idempotent', suspicion: 'suspect', oneDriver: true },
    [...RAN.idempotent, ...STOPPED, 'cancel@2/gave_up'],
  ),
  world(
    'idempotent, Stop, no process dies, one driver',
    true,
    { ...noDeaths, toolClass: 'idempotent', oneDriver: true },
    CALM_STOP,
  ),
  world('once, no process dies', true, { ...noDeaths, user: 'waits' }, ['final/done']),
  world('once, Stop, no process dies', false, noDeaths, CALM_STOP),
  world('idempotent, no process dies', true, { ...noDeaths, user: 'waits', toolClass: 'idempotent' }, [
    'final/done',
  ]),
  world('idempotent, Stop, no process dies', false, { ...noDeaths, toolClass: 'idempotent' }, CALM_STOP),
  world('once, held calls, clocks', false, { user: 'waits', holds: true, clocks: true }, [
    ...RAN.once,
    ...LATE,
  ]),
  world('once, clocks', false, { user: 'waits', clocks: true }, [...RAN.once, ...LATE]),
  world('once, Delete', false, { user: 'deletes' }, [...RAN.once, 'removed']),
  world('once, Stop, endless tool', false, { endless: true }, ENDLESS_STOP),
  world('once, deliveries held', false, { user: 'waits', broker: 'deliveries' }, RAN.once),
  world('once, Stop, deliveries held, one of each', false, { alone: true, broker: 'deliveries' }, [
    ...RAN.once,
    ...STOPPED,
  ]),
  world('idempotent, Delete, one of each', false, { user: 'deletes', toolClass: 'idempotent', alone: true }, [
    ...RAN.idempotent,
    'removed',
  ]),
  world('idempotent, Stop', false, { toolClass: 'idempotent' }, [
    ...RAN.idempotent,
    ...STOPPED,
    'cancel@2/gave_up',
  ]),
  world('once, Stop, the ledger', false, { ledger: true }, [...RAN.once, ...STOPPED]),
  world(
    'idempotent, the ledger',
    false,
    { user: 'waits', ledger: true, toolClass: 'idempotent' },
    RAN.idempotent,
  ),
  world('once, Delete, the ledger, one of each', false, { user: 'deletes', ledger: true, alone: true }, [
    ...RAN.once,
    'removed',
  ]),
];
