import { bodySchemas, LEDGER_TYPES, type LedgerRequestType, type MessageType } from '#contracts';

type OfOrchestrators = 'ledger.pulse' | 'ledger.unreadable';

/** What a worker of a group sends. A pulse is an orchestrator's own beat. */
export const SENT_BY_WORKERS = LEDGER_TYPES.filter(
  (type): type is Exclude<LedgerRequestType, OfOrchestrators> =>
    type !== 'ledger.pulse' && type !== 'ledger.unreadable',
);

/** What reaches the control queue of a worker of a group, under its own key and `ledger.all`. */
export const CONTROL_OF_WORKERS = [
  'catalog.roll_call',
  'ledger.answered',
  'probe',
  'tool.answered',
  'tool.cancel',
] as const satisfies readonly MessageType[];

/** What a worker of a group sends or receives: what its author needs. */
export const WORKER_MESSAGES: readonly MessageType[] = [
  'tool.call',
  ...CONTROL_OF_WORKERS,
  ...SENT_BY_WORKERS,
];

/** What the message means, as its schema says. */
export function describeMessage(type: MessageType): string | undefined {
  return bodySchemas[type].meta()?.description;
}
