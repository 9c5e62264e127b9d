import { z } from 'zod';
import { controlKeySchema, idSchema, processIdSchema, timestampSchema } from './ids.js';
import { artifactReferenceSchema, artifactSchema } from './records/artifact.js';
import { toolDefinitionSchema, toolsetSchema } from './records/catalog.js';
import { answerSchema, claimSchema } from './records/decisions.js';
import { ledgerBeatsSchema, processLoadSchema } from './records/process.js';
import { switchSchema } from './records/switch.js';
import { questionSchemaSchema } from './question.js';
import { completeResultFields, toolCallBodySchema, toolNameSchema } from './tool-messages.js';

/*
 * What a worker without the store asks the ledger, which every orchestrator serves, and what it answers. A request may
 * be repeated until it is answered: each one has the same effect however often it is served.
 */

export const MAX_REASON_LENGTH = 500;
/** That one call may ask, one after the other. */
export const MAX_QUESTIONS = 100;
const MAX_TIMEOUT_MS = 20 * 60_000;
/** Progress and questions make a run longer than its timeout. */
const MAX_DURATION_MS = 30 * 24 * 3_600_000;

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
  .extend({ token: z.string().regex(/^[0-9a-f]{64}$/) })
  .describe('The part of a `tool.call` that its token covers, and the token, all unchanged.');

/** What every request that is answered has. */
const request = {
  request_id: idSchema.describe('The same in each repetition; `ledger.answered` carries it.'),
  worker: processIdSchema.describe('Id of the worker that asks: `worker-<group>--<uuid>`.'),
};
export const ledgerRequestSchema = z.object(request);
const attempt = z.int().min(1).describe('1 for the first run of the call, then 2, and so on.');
const evidence = claimSchema.shape.evidence.describe('As `ledger.judge` gave it.');
/** Characters of a name, or of a type of content. */
const label = z.string().max(128);
const artifacts = z
  .array(artifactReferenceSchema.extend({ content_type: label, name: label.optional() }))
  .max(64)
  .optional()
  .describe('Those that `ledger.artifact` has stored for this call.');

/** Tells the ledger something about a call. */
const aboutCall = { ...request, call: callTicketSchema };
const result = z.object(completeResultFields).describe('How the call ended; each field is present.');
const questionNumber = z.int().min(1).max(MAX_QUESTIONS).describe('As the answer to `ledger.ask` gave it.');

/** Bounds of what is shown to every model and user. */
const announcedToolSchema = toolDefinitionSchema.extend({
  name: toolNameSchema,
  description: z.string().max(65_536),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).describe('In milliseconds.'),
});

export const ledgerBodySchemas = {
  'ledger.claim': z
    .object({ ...aboutCall, attempt, evidence })
    .describe(
      'Attempt 1, or a later one that `ledger.judge` allowed or whose predecessor was this worker’s own.',
    ),
  'ledger.judge': z
    .object(aboutCall)
    .describe('Attempt 1 was lost to another worker: whether a later one may be claimed.'),
  'ledger.settle': z
    .object({
      ...aboutCall,
      attempt,
      duration_ms: z
        .int()
        .min(0)
        .max(MAX_DURATION_MS)
        .describe('Of the run, in milliseconds; 0 if it did not start.'),
      at: timestampSchema.describe('When the run ended; not believed if it is more than 60 s away.'),
      result,
      artifacts,
      traceparent: z.string().max(128).optional().describe('W3C trace context of the run.'),
    })
    .describe('The call ended with this result under this attempt, which must be the worker’s own.'),
  'ledger.refuse': z
    .object({
      ...aboutCall,
      result,
      unclaimed: z.boolean().describe('True: only if no process has ever claimed the call.'),
    })
    .describe('The call must not start: it ends with this result unless another worker may run it.'),
  'ledger.stand_back': z
    .object({
      ...aboutCall,
      attempt,
      first: attempt.describe('The first attempt that it claimed for this delivery; mostly the same.'),
      has_run: z.boolean().describe('Whether the call ran under one of these attempts.'),
      never_started: z
        .boolean()
        .describe('Whether the worker knows that it did not run the call under an earlier claim either.'),
    })
    .describe('A call of a stopped turn that this worker has claimed and does not run.'),
  'ledger.cancel': z
    .object({
      ...request,
      tool_call_id: idSchema,
      turn_id: idSchema,
      started: z.boolean().describe('False only if this worker knows that it never began the call.'),
      stood_back: z
        .array(z.object({ worker: processIdSchema, started: z.boolean() }))
        .max(100)
        .optional()
        .describe('As in the `tool.cancel` that this answers.'),
    })
    .describe('A call that this worker was told to stop and does not have in hand.'),
  'ledger.ask': z
    .object({
      ...aboutCall,
      message: z.string().min(1).max(4_000).describe('What the person reads.'),
      schema: questionSchemaSchema.describe('The form to fill in.'),
      among: z
        .int()
        .min(2)
        .max(1_000)
        .optional()
        .describe('How many calls may be the one that asks, if that is unknown.'),
      after: z
        .int()
        .min(0)
        .max(MAX_QUESTIONS)
        .describe('Number of this call’s last question; 0 before the first.'),
      expire_ms: z.int().min(1).max(86_400_000).describe('How long the person may take, in milliseconds.'),
    })
    .describe('Asks the call’s person.'),
  'ledger.reply': z
    .object({
      ...aboutCall,
      number: questionNumber,
      give_up: z.boolean().describe('True: no longer waits; an open question is closed as `cancel`.'),
    })
    .describe('Reads the person’s answer to a question.'),
  'ledger.artifact': z
    .object({
      ...aboutCall,
      artifact: artifactSchema
        .omit({ content: true, at: true, user_id: true })
        .extend({ content_type: label, name: label.optional() }),
      part: z.int().min(0).describe('Number of this part, from 0.'),
      parts: z.int().min(1).max(64).describe('How many parts there are.'),
      content: z.string().max(720_000).describe('The part’s bytes in base64; at most 512 KiB before it.'),
    })
    .describe('A part of an artifact’s content; the last one stores it.'),
  'ledger.progress': z
    .object({
      worker: request.worker,
      call: callTicketSchema,
      number: z.int().min(1).describe('From 1 within the call; a number seen before is not told again.'),
      progress: z.number().describe('How much is done, in the unit of `total`.'),
      total: z.number().optional(),
      message: z.string().max(4_096).optional().describe('For people.'),
      log: z
        .object({ level: z.string(), logger: z.string() })
        .optional()
        .describe('Present: `message` is a line that an MCP server logged.'),
    })
    .describe('A sign of progress of a running call. It is not answered.'),
  'ledger.announce': z
    .object({
      ...request,
      toolsets: z
        .array(toolsetSchema.extend({ tools: z.array(announcedToolSchema) }))
        .max(1_000)
        .describe('The whole offer; empty: the worker offers nothing.'),
      servers: z
        .array(z.object({ name: z.string(), toolset: z.string() }))
        .optional()
        .describe('MCP servers that the worker hosts, including those without tools.'),
      reply_to: controlKeySchema.optional().describe('Only for this process, which asked; absent: for all.'),
    })
    .describe('The worker’s offer of tools.'),
  'ledger.beat': z
    .object({
      ...request,
      number: z.int().min(0).describe('0 for the first, which makes the worker known; then one more each.'),
      host: z.string().max(255).describe('Name of the machine.'),
      version: z.string().max(64).describe('Of the worker’s program.'),
      started_at: timestampSchema,
      load: processLoadSchema.optional(),
      toolsets: z.array(z.string().max(128)).max(1_000).describe('Names of the toolsets that it hosts.'),
    })
    .describe('The worker lives.'),
  'ledger.leave': z.object(request).describe('The worker is gone.'),
  'ledger.unreadable': z
    .object({ ...request, reason: z.string().max(MAX_REASON_LENGTH) })
    .describe('In place of a request of which only the sender could be read. No worker sends it.'),
  'ledger.pulse': z
    .object({ orchestrator: processIdSchema, beats: ledgerBeatsSchema })
    .describe('An orchestrator’s own beat through the queue of the workers’ beats. No worker sends it.'),
} as const;

const CLAIMED = [
  '`mine`: the worker has the attempt.',
  '`lost`: another worker has it.',
  '`elsewhere`: the call has ended or is gone.',
  '`stopped`: the worker has it, but the turn was stopped.',
].join(' ');
const personsAnswer = answerSchema.nullable().describe('Null: there is none yet.');

/** What the ledger answers, by verb. */
const answers = {
  claim: z.object({
    claimed: z.enum(['mine', 'lost', 'elsewhere', 'stopped']).describe(CLAIMED),
    claim: claimSchema.optional().describe('With `mine`: its row.'),
    pause: switchSchema
      .optional()
      .describe('The tool is paused: the worker ends the call without starting it.'),
  }),
  judge: z.object({
    attempt: attempt
      .optional()
      .describe('The one to claim now; absent: the call belongs to another worker, or has ended.'),
    evidence: claimSchema.shape.evidence.describe('Why the earlier worker counts as lost.'),
  }),
  refuse: z.object({ ended: z.boolean().describe('False: another worker has claimed the call.') }),
  stand_back: z.object({ started: z.boolean().describe('Whether the call may have begun.') }),
  ask: z.object({
    number: attempt.describe('Of the question.'),
    expires_at: timestampSchema,
    answer: personsAnswer,
  }),
  reply: z.object({ answer: personsAnswer }),
  beat: z.object({
    known: z.enum(['beaten', 'gone']).describe('`gone`: others count the worker as dead, so it must exit.'),
    now: z.number().describe('The orchestrator’s clock, in milliseconds since 1970.'),
    switches: z.array(switchSchema).max(1_000).describe('Those that concern the worker.'),
    workers: z.record(z.string(), z.int().min(0)).describe('Living workers by toolset of this worker.'),
  }),
  artifact: z.object({
    next: z
      .int()
      .min(0)
      .describe('The part to send next: 0 after one that does not fit those before; `parts`: all are there.'),
  }),
};

export const ledgerAnsweredSchema = z
  .object({
    request_id: idSchema.describe('Of the request.'),
    server: controlKeySchema.describe(
      'The orchestrator that served it: what follows for the same call goes there.',
    ),
    refused: z
      .string()
      .max(MAX_REASON_LENGTH)
      .optional()
      .describe('Why it is refused; a repetition is refused, too.'),
    ...Object.fromEntries(Object.entries(answers).map(([verb, schema]) => [verb, schema.optional()])),
  })
  .describe(
    'The answer to a request, in the member that is named after it; some have none.',
  ) as unknown as z.ZodType<LedgerAnswered>;

export type LedgerAnswers = { [Verb in keyof typeof answers]: z.infer<(typeof answers)[Verb]> };
export type LedgerAnswered = {
  request_id: string;
  server: string;
  refused?: string;
} & Partial<LedgerAnswers>;
export type CallTicket = z.infer<typeof callTicketSchema>;
