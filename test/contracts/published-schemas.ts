import { join } from 'node:path';
import { z } from 'zod';
import {
  bodySchemas,
  envelopeSchema,
  errorDetailSchema,
  toolCallSchema,
  toolResultSchema,
  type MessageType,
} from '#contracts';
import { jsonSchemaOf } from './schemas.js';
import { describeMessage, WORKER_MESSAGES } from './worker-messages.js';

const FOLDER = join(import.meta.dirname, '../../docs/schemas');

/** Messages whose schemas are published, each with its envelope. */
export const PUBLISHED_MESSAGES: readonly MessageType[] = [...WORKER_MESSAGES, 'tool.result'];

interface Published {
  title: string;
  description?: string;
  schema: z.ZodType;
}

/** What tools, agents and workers of others are written against, by the name of its file. */
const PUBLISHED: Record<string, Published> = {
  'tool-call': { title: 'ToolCall', schema: toolCallSchema },
  'tool-result': { title: 'ToolResult', schema: toolResultSchema },
  'error-detail': { title: 'ErrorDetail', schema: errorDetailSchema },
  envelope: { title: 'A message on the bus', schema: envelopeSchema },
  ...Object.fromEntries(PUBLISHED_MESSAGES.map((type) => [messageName(type), messageOf(type)])),
};

export const publishedNames = Object.keys(PUBLISHED);

export function publishedPath(name: string): string {
  return join(FOLDER, `${name}.schema.json`);
}

export function publishedSchema(name: string): object {
  const { title, description, schema } = PUBLISHED[name]!;
  const { $schema, ...rest } = jsonSchemaOf(schema) as { $schema: string };
  return JSON.parse(JSON.stringify({ $schema, title, description, ...rest })) as object;
}

/** `tool.call` → `message-tool.call`. */
export function messageName(type: MessageType): string {
  return `message-${type}`;
}

function messageOf(type: MessageType): Published {
  const schema = envelopeSchema.extend({ type: z.literal(type), body: bodySchemas[type] });
  return { title: `${type}, with its envelope`, description: describeMessage(type), schema };
}
