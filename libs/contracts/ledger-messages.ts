import { z } from 'zod';
import { controlKeySchema, idSchema, processIdSchema, timestampSchema } from './ids.js';
import { artifactReferenceSchema, artifactSchema } from './records/artifact.js';
import { toolsetSchema } from './records/catalog.js';
import { answerSchema, claimSchema } from './records/decisions.js';
import { ledgerBeatsSchema, processLoadSchema } from './records/process.js';
import { switchSchema } from './records/switch.js';
import { questionSchemaSchema } from './question.js';
import { completeResultFields, toolCallBodySchema } from './tool-messages.js';

/*
 * What a worker without the store asks the ledger, which every orchestrator serves, and what it answers. A request may
 * be repeated until it is answered: each one has the same effect however often it is served.
 */

export const MAX_REASON_LENGTH = 500;

/** The part of a `tool.call` that its token covers, and the token. */
export const callTicketSchema = toolCallBodySchema
  .pick({
    tool_call_id: true,
    turn_id: true,
    conversation_id: true,
    n: true,
    user_id: true,
    tool_name: true,
    class: true,
    max_attempts: true,
    reply_to: true,
  })
  .extend({ token: z.string().regex(/^[0-9a-f]{64}$/) });

/** What every request that is answered has. */
const request = {
  /** The same in each repetition. */
  request_id: idSchema,
  worker: processIdSchema,
};
export const ledgerRequestSchema = z.object(request);
const attempt = z.int().min(1);
const artifacts = z.array(artifactReferenceSchema).max(64).optional();

/** Tells the ledger something about a call. */
const aboutCall = { ...request, call: callTicketSchema };

export const ledgerBodySchemas = {
  /** Attempt 1, or a later one that `ledger.judge` allowed or whose predecessor was this worker's own. */
  'ledger.claim': z.object({ ...aboutCall, attempt, evidence: claimSchema.shape.evidence }),
  /** Attempt 1 was lost: whether a later one may be claimed. */
  'ledger.judge': z.object(aboutCall),
  /** The call ended with this result under this attempt. */
  'ledger.settle': z.object({
    ...aboutCall,
    attempt,
    duration_ms: z.int().min(0),
    at: timestampSchema,
    result: z.object(completeResultFields),
    artifacts,
    /** Of the run. */
    traceparent: z.string().max(128).optional(),
  }),
  /** The call must not start. `unclaimed`: unless any process has claimed it. */
  'ledger.refuse': z.object({
    ...aboutCall,
    result: z.object(completeResultFields),
    unclaimed: z.boolean(),
  }),
  /** A call of a stopped turn that this worker has claimed and does not run. */
  'ledger.stand_back': z.object({
    ...aboutCall,
    attempt,
    first: attempt,
    has_run: z.boolean(),
    never_started: z.boolean(),
  }),
  /** A call that this worker was told to stop and does not have in hand. */
  'ledger.cancel': z.object({
    ...request,
    tool_call_id: idSchema,
    turn_id: idSchema,
    started: z.boolean(),
    stood_back: z
      .array(z.object({ worker: processIdSchema, started: z.boolean() }))
      .max(100)
      .optional(),
  }),
  /** Asks the call's person. */
  'ledger.ask': z.object({
    ...aboutCall,
    message: z.string().min(1).max(4_000),
    schema: questionSchemaSchema,
    after: z.int().min(0).max(10_000),
    expire_ms: z.int().min(1).max(86_400_000),
  }),
  /** The person's answer to the question with this number; `give_up`: no longer waits for one. */
  'ledger.reply': z.object({ ...aboutCall, number: z.int().min(1), give_up: z.boolean() }),
  /** A part of an artifact's content, in base64; the last one stores it. */
  'ledger.artifact': z.object({
    ...aboutCall,
    artifact: artifactSchema.omit({ content: true, at: true, user_id: true }),
    part: z.int().min(0),
    parts: z.int().min(1).max(64),
    content: z.string().max(720_000),
  }),
  /** A sign of progress; numbered, and not answered. */
  'ledger.progress': z.object({
    worker: processIdSchema,
    call: callTicketSchema,
    number: z.int().min(1),
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().max(4_096).optional(),
    log: z.object({ level: z.string(), logger: z.string() }).optional(),
  }),
  /** A worker's offer; `reply_to`: only for the process that asked. */
  'ledger.announce': z.object({
    ...request,
    toolsets: z.array(toolsetSchema).max(1_000),
    servers: z.array(z.object({ name: z.string(), toolset: z.string() })).optional(),
    reply_to: controlKeySchema.optional(),
  }),
  /** The worker lives. Beats are numbered; number 0 is the first. */
  'ledger.beat': z.object({
    ...request,
    number: z.int().min(0),
    host: z.string().max(255),
    version: z.string().max(64),
    started_at: timestampSchema,
    load: processLoadSchema.optional(),
    toolsets: z.array(z.string().max(128)).max(1_000),
  }),
  /** The worker is gone. */
  'ledger.leave': z.object(request),
  /** In place of a request whose other fields could not be read; `reason` says why. */
  'ledger.unreadable': z.object({ ...request, reason: z.string().max(MAX_REASON_LENGTH) }),
  /** An orchestrator's own beat through the queue of the workers' beats. */
  'ledger.pulse': z.object({ orchestrator: processIdSchema, beats: ledgerBeatsSchema }),
} as const;

/** What the ledger answers, by verb. */
const answers = {
  claim: z.object({
    claimed: z.enum(['mine', 'lost', 'elsewhere', 'stopped']),
    claim: claimSchema.optional(),
    /** The tool is paused: the worker ends the call without starting it. */
    pause: switchSchema.optional(),
  }),
  /** Absent: the call belongs to another worker, or has ended. */
  judge: z.object({ attempt: attempt.optional(), evidence: claimSchema.shape.evidence }),
  refuse: z.object({ ended: z.boolean() }),
  stand_back: z.object({ started: z.boolean() }),
  ask: z.object({ number: attempt, expires_at: timestampSchema, answer: answerSchema.nullable() }),
  reply: z.object({ answer: answerSchema.nullable() }),
  beat: z.object({
    known: z.enum(['beaten', 'gone']),
    now: z.number(),
    switches: z.array(switchSchema).max(1_000),
    /** Living workers by toolset of this worker. */
    workers: z.record(z.string(), z.int().min(0)),
  }),
  /** The part that it wants next: 0 after a part that it cannot add to those before; `parts`: it has all. */
  artifact: z.object({ next: z.int().min(0) }),
};

export const ledgerAnsweredSchema = z.object({
  request_id: idSchema,
  /** The orchestrator that served it: what follows for the same call goes there. */
  server: controlKeySchema,
  /** Why it is refused; a repetition is refused, too. */
  refused: z.string().max(MAX_REASON_LENGTH).optional(),
  ...Object.fromEntries(Object.entries(answers).map(([verb, schema]) => [verb, schema.optional()])),
}) as unknown as z.ZodType<LedgerAnswered>;

export type LedgerAnswers = { [Verb in keyof typeof answers]: z.infer<(typeof answers)[Verb]> };
export type LedgerAnswered = {
  request_id: string;
  server: string;
  refused?: string;
} & Partial<LedgerAnswers>;
export type CallTicket = z.infer<typeof callTicketSchema>;
