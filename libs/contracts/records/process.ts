import { z } from 'zod';
import { processIdSchema, roleSchema, timestampSchema } from '../ids.js';

/** How the calls of one toolset go in one worker. */
export const toolsetLoadSchema = z.object({
  /** Calls that it runs now. */
  running: z.int().min(0),
  /** Calls that it takes at once. */
  slots: z.int().min(0),
  /** Calls that it ended per second during the last minute. */
  per_second: z.number().min(0),
});

/** What a process does, as its last beat told; each role has other members. */
export const processLoadSchema = z.object({
  /** It takes no new work. */
  draining: z.boolean().optional(),
  /** Client connections of a gateway. */
  sockets: z.int().min(0).optional(),
  viewers: z.int().min(0).optional(),
  /** Turns that an orchestrator drives. */
  turns: z.int().min(0).optional(),
  /** Requests of an orchestrator to a model that wait for their admission. */
  model_waits: z.int().min(0).optional(),
  /** By toolset, of a worker. */
  toolsets: z.record(z.string(), toolsetLoadSchema).optional(),
});

export const processSchema = z.object({
  _id: processIdSchema,
  role: roleSchema,
  host: z.string(),
  beat: z.int(),
  /** Absent in rows of processes before this field existed, as the next two. */
  version: z.string().optional(),
  started_at: timestampSchema.optional(),
  load: processLoadSchema.optional(),
});

export type ToolsetLoad = z.infer<typeof toolsetLoadSchema>;
export type ProcessLoad = z.infer<typeof processLoadSchema>;
export type ProcessRow = z.infer<typeof processSchema>;
