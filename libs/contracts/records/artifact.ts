import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/** Types of pictures that are shown to models and people; other content is only named. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** A stored output as results and viewers name it; its content is read by its id. */
export const artifactReferenceSchema = z.object({
  id: idSchema,
  content_type: z.string(),
  /** Bytes. */
  size: z.int().min(0),
  name: z.string().optional(),
  /** The call's whole text output, of which its result shows head and tail. */
  whole: z.literal(true).optional(),
});

/**
 * An output over the budget, or binary content. `_id` derives from conversation, type and content, so that the same
 * output is stored once. `content` is base64.
 */
export const artifactSchema = z.object({
  _id: idSchema,
  user_id: z.string(),
  conversation_id: idSchema,
  turn_id: idSchema,
  tool_call_id: z.string(),
  content_type: writtenTextSchema,
  size: z.int().min(0),
  /** SHA-256 of the content, in hex. */
  hash: z.string(),
  name: writtenTextSchema.optional(),
  content: z.string(),
  at: timestampSchema,
});

export type ImageType = (typeof IMAGE_TYPES)[number];
export type ArtifactReference = z.infer<typeof artifactReferenceSchema>;
export type Artifact = z.infer<typeof artifactSchema>;
