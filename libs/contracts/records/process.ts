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

/**
 * One orchestrator's part of the installation's budget for a provider or model. Limits are absent where nothing is
 * limited.
 */
export const modelLoadSchema = z.object({
  /** Per minute, of the whole installation. */
  requests_limit: z.number().min(0).optional(),
  /** What this part still has; negative when a request was larger than estimated. */
  requests_left: z.number().optional(),
  tokens_limit: z.number().min(0).optional(),
  tokens_left: z.number().optional(),
  /** Answers that may stream at once, of the whole installation. */
  streams_limit: z.number().min(0).optional(),
  /** Answers that stream now; absent: there is no budget. */
  streams: z.int().min(0).optional(),
  /** Requests that wait for it. */
  waiting: z.int().min(0),
  /** How long its provider still wants no requests. */
  paused_ms: z.int().min(0).optional(),
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
  /** By name of a budget, of an orchestrator. */
  models: z.record(z.string(), modelLoadSchema).optional(),
  /** By toolset, of a worker. */
  toolsets: z.record(z.string(), toolsetLoadSchema).optional(),
});

/** By group of workers: how many of an orchestrator's own beats came through the queue of that group's beats. */
export const ledgerBeatsSchema = z.record(z.string(), z.int().min(0));

export const processSchema = z.object({
  _id: processIdSchema,
  role: roleSchema,
  host: z.string(),
  beat: z.int(),
  /** Absent in rows of processes before this field existed, as the next two. */
  version: z.string().optional(),
  started_at: timestampSchema.optional(),
  load: processLoadSchema.optional(),
  /** Of an orchestrator that serves a ledger. */
  ledger_beats: ledgerBeatsSchema.optional(),
});

export type ModelLoad = z.infer<typeof modelLoadSchema>;
export type ToolsetLoad = z.infer<typeof toolsetLoadSchema>;
export type ProcessLoad = z.infer<typeof processLoadSchema>;
export type ProcessRow = z.infer<typeof processSchema>;
export type LedgerBeats = z.infer<typeof ledgerBeatsSchema>;
