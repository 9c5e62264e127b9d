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

const FOLDER = join(import.meta.dirname, '../../docs/schemas');

/** What tools and agents of others are written against, by the name of its file. */
const PUBLISHED: Record<string, { title: string; schema: z.ZodType }> = {
  'tool-call': { title: 'ToolCall', schema: toolCallSchema },
  'tool-result': { title: 'ToolResult', schema: toolResultSchema },
  'error-detail': { title: 'ErrorDetail', schema: errorDetailSchema },
  envelope: { title: 'A message on the bus', schema: envelopeSchema },
  'message-tool.call': { title: 'tool.call, with its envelope', schema: messageOf('tool.call') },
  'message-tool.result': { title: 'tool.result, with its envelope', schema: messageOf('tool.result') },
};

export const publishedNames = Object.keys(PUBLISHED);

export function publishedPath(name: string): string {
  return join(FOLDER, `${name}.schema.json`);
}

export function publishedSchema(name: string): object {
  const { title, schema } = PUBLISHED[name]!;
  const { $schema, ...rest } = jsonSchemaOf(schema) as { $schema: string };
  return JSON.parse(JSON.stringify({ $schema, title, ...rest })) as object;
}

function messageOf(type: MessageType): z.ZodType {
  return envelopeSchema.extend({ type: z.literal(type), body: bodySchemas[type] });
}
