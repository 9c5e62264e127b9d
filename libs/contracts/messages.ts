import { z } from 'zod';
import {
  controlKeySchema,
  idSchema,
  processIdSchema,
  timestampSchema,
  toolCallIdSchema,
  type Role,
} from './ids.js';
import { toolsetSchema } from './records.js';
import { ledgerAnsweredSchema, ledgerBodySchemas } from './ledger-messages.js';
import { toolCallBodySchema, toolResultBodySchema } from './tool-messages.js';

/*
 * Every message on the bus except conversation events. A message is a hint: a lost one costs latency, a duplicate costs
 * nothing.
 */

/** "Look at this turn": sent to `turns`, or forwarded to the control queue of the turn's driver. */
const turnAdvanceSchema = z.object({ turn_id: idSchema, conversation_id: idSchema });

/** A worker that has claimed a call, does not run it, and never will. `started`: it may have begun the call before. */
const stoodBackSchema = z.object({ worker: processIdSchema, started: z.boolean() });
export type StoodBack = z.infer<typeof stoodBackSchema>;

/** The number of calls that were sent and have not ended, and of those that their drivers hold back. */
const callCounts = { sent: z.int().min(0), held: z.int().min(0) };

export const bodySchemas = {
  'turn.advance': turnAdvanceSchema,
  'tool.call': toolCallBodySchema,
  'tool.result': toolResultBodySchema,
  /** A worker's whole offer: at start, on change, every 10 s. */
  'catalog.announce': z.object({
    worker: processIdSchema,
    toolsets: z.array(toolsetSchema),
    /** Every server that the worker is configured to host, including those without tools: its exact name. */
    servers: z.array(z.object({ name: z.string(), toolset: z.string() })).optional(),
  }),
  'catalog.withdraw': z.object({ worker: processIdSchema }),
  'catalog.roll_call': z
    .object({ reply_to: controlKeySchema })
    .describe('Every worker announces its tools to `reply_to` at once.'),
  'tool.cancel': z
    .object({
      tool_call_id: toolCallIdSchema,
      turn_id: idSchema,
      stood_back: z
        .array(stoodBackSchema)
        .max(100)
        .optional()
        .describe(
          'Workers that have claimed the call and do not run it; each adds itself and tells the others.',
        ),
    })
    .describe('The call’s turn was stopped.'),
  'tool.answered': z
    .object({ tool_call_id: toolCallIdSchema, turn_id: idSchema })
    .describe('A question of this call was answered: its worker reads the answer.'),
  /** Another process drives the turn now, with this attempt. */
  'turn.superseded': z.object({ turn_id: idSchema, attempt: z.int().min(1) }),
  /** Asks the driver to commit a `cancel` row with the partial text. */
  'turn.stop': z.object({ turn_id: idSchema, request_id: z.string(), reply_to: controlKeySchema }),
  'turn.stopped': z.object({ turn_id: idSchema, request_id: z.string() }),
  /** Asks the driver for the text of the step that it is streaming. */
  'turn.peek': z.object({ turn_id: idSchema, request_id: z.string(), reply_to: controlKeySchema }),
  'turn.partial': z.object({
    turn_id: idSchema,
    request_id: z.string(),
    step: z.int().min(1),
    attempt: z.int().min(0),
    text: z.string(),
  }),
  /**
   * The provider refused a request because there were too many: every orchestrator leaves the model alone for this
   * long.
   */
  'model.limited': z.object({
    model: z.string().min(1).max(200),
    retry_after_ms: z.int().min(0).max(3_600_000),
  }),
  /** The models that an orchestrator uses, by provider: sent at start, every 10 s, and on request. */
  'model.announce': z.object({
    orchestrator: processIdSchema,
    /** For each configured provider; `model` as in `MODEL`. */
    providers: z.array(z.object({ provider: z.string(), model: z.string() })),
    /** Models that clients may name, also as patterns with `*`; absent: this orchestrator does not say. */
    allowed: z.array(z.string().max(200)).max(2_000).optional(),
    /** The model of turns that name none; absent: this orchestrator does not say. */
    default_model: z.string().max(200).optional(),
  }),
  /** Asks every orchestrator to announce its models to `reply_to` at once. */
  'model.roll_call': z.object({ reply_to: controlKeySchema }),
  /**
   * An orchestrator's calls in toolset queues where calls wait or are held back: sent on a change, and every second. A
   * queue that is missing here has none left.
   */
  'calls.counted': z.object({
    orchestrator: processIdSchema,
    toolsets: z.array(
      z.object({
        toolset: z.string(),
        ...callCounts,
        /** The users with the most calls; the sums include the others too. */
        users: z.array(z.object({ user_id: z.string(), ...callCounts })),
      }),
    ),
  }),
  /** The user's client has reconnected to another gateway: sockets that do not answer are closed. */
  'socket.probe': z.object({ user_id: z.string() }),
  /**
   * To every gateway: the amount that one of them counted for installation-wide limits; a negative amount was given
   * back.
   */
  'limits.counted': z.object({
    gateway: processIdSchema,
    counts: z
      .array(
        z.object({
          limit: z.string().max(64),
          key: z.string().max(512),
          count: z.int().min(-100_000).max(100_000),
        }),
      )
      .max(2_000),
  }),
  ...ledgerBodySchemas,
  'ledger.answered': ledgerAnsweredSchema,
  /** An operator has switched something: read the switches again. */
  'switches.changed': z.object({}),
  probe: z
    .object({})
    .describe('Nothing to do: only its return as unroutable means something, to its sender.'),
} as const;

export type MessageType = keyof typeof bodySchemas;
export type Body<T extends MessageType> = z.infer<(typeof bodySchemas)[T]>;

export const PROTOCOL_VERSION = '1.0.0';

/** Another major version is refused; a higher minor version is accepted. */
const versionSchema = z.string().regex(/^1\.\d+\.\d+$/, { error: 'unsupported version' });

/** The envelope; unknown fields are ignored. The schema of the message's type checks `body`. */
export const envelopeSchema = z.object({
  id: z.string().min(1).max(128).describe('A new one for each message, also for a repetition.'),
  type: z.string(),
  version: versionSchema.describe('Of the protocol; another major version is refused.'),
  at: timestampSchema.describe('When it was made: ISO 8601 with `Z`.'),
  traceparent: z.string().max(128).optional().describe('W3C trace context.'),
  body: z.unknown(),
});

export type Message<T extends MessageType = MessageType> = {
  [K in T]: { id: string; type: K; version: string; at: string; traceparent?: string; body: Body<K> };
}[T];

/** What a worker without the store asks of the orchestrators. */
export const LEDGER_TYPES = Object.keys(ledgerBodySchemas) as LedgerRequestType[];
export type LedgerRequestType = keyof typeof ledgerBodySchemas;

/**
 * The messages that each role takes: from these queues, dead letters, and these control messages. Each needs exactly
 * one handler in the role's program, which has no other handlers.
 */
export const TAKEN_BY = {
  gateway: {
    queues: [],
    deadLetters: false,
    control: [
      'catalog.announce',
      'catalog.withdraw',
      'model.announce',
      'turn.stopped',
      'turn.partial',
      'socket.probe',
      'limits.counted',
      'switches.changed',
    ],
  },
  orchestrator: {
    queues: ['turns', 'results', 'ledger'],
    deadLetters: true,
    control: [
      ...LEDGER_TYPES,
      'turn.advance',
      'tool.result',
      'catalog.announce',
      'catalog.withdraw',
      'model.limited',
      'model.roll_call',
      'calls.counted',
      'turn.superseded',
      'turn.stop',
      'turn.peek',
      'switches.changed',
    ],
  },
  worker: {
    queues: ['tools'],
    deadLetters: false,
    control: [
      'tool.cancel',
      'tool.answered',
      'catalog.announce',
      'catalog.withdraw',
      'catalog.roll_call',
      'ledger.answered',
      'switches.changed',
    ],
  },
} as const satisfies Record<Role, Taken>;

interface Taken {
  queues: readonly string[];
  deadLetters: boolean;
  control: readonly MessageType[];
}

const { gateway, orchestrator, worker } = TAKEN_BY;

/** Which message types a queue may carry; anything else in it is dead-lettered. */
export const QUEUE_TYPES = {
  turns: ['turn.advance'],
  results: ['tool.result'],
  tools: ['tool.call'],
  ledger: LEDGER_TYPES,
  /** Every control message that some role takes, and `probe`, which the bus itself answers. */
  control: [...new Set([...gateway.control, ...orchestrator.control, ...worker.control, 'probe' as const])],
} as const satisfies Record<string, readonly MessageType[]>;
export type QueueKind = keyof typeof QUEUE_TYPES;
