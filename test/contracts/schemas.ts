import { z } from 'zod';
import {
  accountSchema,
  answerSchema,
  artifactSchema,
  auditRecordSchema,
  bodySchemas,
  catalogSchema,
  claimSchema,
  clientAnswerSchemas,
  clientErrorSchema,
  clientRequestSchemas,
  conversationSchema,
  deadLetterSchema,
  envelopeSchema,
  errorDetailSchema,
  eventSchema,
  outcomeSchema,
  QUEUE_TYPES,
  type QueueKind,
  processSchema,
  secretSchema,
  snapshotSchema,
  stepSchema,
  toolCallSchema,
  toolResultSchema,
  turnSchema,
} from '#contracts';

/** By the name of the golden file, see `recordSchemaOf`. */
export const RECORDS = {
  conversation: conversationSchema,
  turn: turnSchema,
  step: stepSchema,
  outcome: outcomeSchema,
  claim: claimSchema,
  answer: answerSchema,
  catalog: catalogSchema,
  process: processSchema,
  artifact: artifactSchema,
  'dead-letter': deadLetterSchema,
  account: accountSchema,
  secret: secretSchema,
  'audit-record': auditRecordSchema,
} as const;

/** `claim-settle` is another `claim`. */
export function recordSchemaOf(file: string): (typeof RECORDS)[keyof typeof RECORDS] | undefined {
  return Object.entries(RECORDS).find(([name]) => file === name || file.startsWith(`${name}-`))?.[1];
}

/** `snapshot` is no event, but comes among them. */
export function eventSchemaOf(type: string): z.ZodType {
  return type === 'snapshot' ? snapshotSchema : eventSchema;
}

/** The queues whose messages may have this type. */
export function queuesOf(type: string): QueueKind[] {
  const queues = Object.keys(QUEUE_TYPES) as QueueKind[];
  return queues.filter((queue) => (QUEUE_TYPES[queue] as readonly string[]).includes(type));
}

/** Everything that crosses a process or a restart, by group and name. */
export const SCHEMAS: Record<string, Record<string, z.ZodType>> = {
  envelope: { envelope: envelopeSchema },
  bodies: bodySchemas,
  tools: { tool_call: toolCallSchema, tool_result: toolResultSchema, error_detail: errorDetailSchema },
  events: { event: eventSchema, snapshot: snapshotSchema },
  records: RECORDS,
  requests: clientRequestSchemas,
  answers: { ...clientAnswerSchemas, error: clientErrorSchema },
};

/** As published: what a sender may send. */
export function jsonSchemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: 'input' });
}
