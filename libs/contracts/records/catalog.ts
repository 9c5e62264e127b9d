import { z } from 'zod';
import { jsonObjectSchema, toolClassSchema } from '../tool-messages.js';
import { writtenTextSchema } from './written-text.js';
import { toolSourceSchema } from './step.js';

/** A tool as shown to the model and to people. */
export const toolDefinitionSchema = z.object({
  /** Bus name, `toolset.tool`. */
  name: z.string(),
  /** The name on its server (MCP) or its bare name (local). */
  own_name: z.string(),
  description: z.string(),
  input_schema: jsonObjectSchema,
  /** Of the result's `data`; of an MCP tool, of its structured content. Absent: nothing is promised. */
  output_schema: jsonObjectSchema.optional(),
  class: toolClassSchema,
  timeout_ms: z.int().min(1),
  /** The author's, `major.minor.patch`; absent in announcements of older workers: the toolset's. */
  version: writtenTextSchema.optional(),
  /** Hash of all fields above: two workers offer the same tool if their hashes agree. */
  hash: z.string(),
});

/** The calls that share one process or session of a toolset: all, those of one user, or those of one conversation. */
export const toolScopeSchema = z.enum(['shared', 'user', 'conversation']);

export const toolsetSchema = z.object({
  name: z.string(),
  source: toolSourceSchema,
  /** The MCP server's own name as configured, or the toolset's name. */
  server: z.string(),
  version: z.string(),
  /** Absent: `shared`. A scoped toolset keeps its state in its worker, so only one worker may host it. */
  scope: toolScopeSchema.optional(),
  /** Calls that its worker runs in parallel; absent: 16. */
  concurrency: z.int().min(1).optional(),
  tools: z.array(toolDefinitionSchema),
});

/** A tool as offered to a turn: what the catalogue pins. */
export const catalogToolSchema = toolDefinitionSchema.extend({
  toolset: z.string(),
  source: toolSourceSchema,
  display_name: z.string(),
});
export const catalogSchema = z.object({ _id: z.string(), tools: z.array(catalogToolSchema) });

export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
export type ToolScope = z.infer<typeof toolScopeSchema>;
export type Toolset = z.infer<typeof toolsetSchema>;
export type CatalogTool = z.infer<typeof catalogToolSchema>;
export type Catalog = z.infer<typeof catalogSchema>;
