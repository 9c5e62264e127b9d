import { z } from 'zod';
import { idSchema, processIdSchema, timestampSchema, toolCallIdSchema } from '../ids.js';
import { completeResultFields, jsonObjectSchema } from '../tool-messages.js';
import { artifactReferenceSchema } from './artifact.js';

/** How a call ended; exactly one exists per call. */
export const outcomeSchema = z.object({
  _id: toolCallIdSchema,
  turn_id: idSchema,
  conversation_id: idSchema,
  n: z.int().min(1),
  ...completeResultFields,
  /** The artifacts of the call besides its text; `data.artifacts` has their ids. */
  artifacts: z.array(artifactReferenceSchema).optional(),
  /** The attempt of the run claim that produced the outcome; 0 if there never was one. */
  attempt: z.int().min(0),
  /** The id of the process that ran (or settled) the call. */
  worker: z.string(),
  duration_ms: z.int().min(0),
  at: timestampSchema,
});

/** The right to do a piece of work: `<turn or tool_call_id>:<attempt>`. */
export const claimSchema = z.object({
  _id: z.string(),
  turn_id: idSchema,
  conversation_id: idSchema,
  owner: processIdSchema,
  /** Attempt: 1, 2, … */
  n: z.int().min(1),
  purpose: z.enum(['run', 'settle']),
  /** With `purpose: settle`: the complete outcome, which any process that reads the claim inserts. */
  decides: outcomeSchema.optional(),
  /** On a turn's first claim: the catalogue that the whole turn uses. */
  catalog_hash: z.string().optional(),
  /**
   * On a claim after the first: why the owner before counted as lost. `forgotten`: it is the same process, which does
   * not work on it.
   */
  evidence: z.enum(['dead', 'suspect', 'forgotten']).optional(),
  /** Of a claim through the ledger: whoever made it recognises it, although the answer was lost. */
  nonce: z.string().optional(),
  /** On a turn's claim: the span of its driver. The driver that takes the turn over links to it. */
  traceparent: z.string().optional(),
  at: timestampSchema,
});

/** `expired`: no one answered in time. */
export const approvalDecisionSchema = z.enum(['approve', 'deny', 'expired']);

/** The result of a question: answered, refused by a person, or given up because no one answered in time. */
export const inputActionSchema = z.enum(['accept', 'decline', 'cancel']);

/**
 * A person's question or answer: `<tool_call_id>:approval | :question | :input`. If a call has several questions, the
 * later ones end in their number: `:question:2`, `:input:2`.
 */
export const answerSchema = z.object({
  _id: z.string(),
  turn_id: idSchema,
  conversation_id: idSchema,
  decision: approvalDecisionSchema.optional(),
  question: z
    .object({
      message: z.string(),
      schema: jsonObjectSchema,
      /** In place of fields: the person gives access to an account, see `POST /api/connections/:id/start`. */
      connection: idSchema.optional(),
      /** How many calls may be the one that asks: its server does not say which. Absent: this one does. */
      among: z.int().min(2).optional(),
      expires_at: timestampSchema,
    })
    .optional(),
  /** Of an `:input`; absent: `accept`. */
  action: inputActionSchema.optional(),
  /** Only with `accept`. */
  content: jsonObjectSchema.optional(),
  by: z.string(),
  at: timestampSchema,
});

export type Outcome = z.infer<typeof outcomeSchema>;
export type Claim = z.infer<typeof claimSchema>;
export type Answer = z.infer<typeof answerSchema>;
export type InputAction = z.infer<typeof inputActionSchema>;
