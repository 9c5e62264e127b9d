import { z } from 'zod';
import { idSchema, timestampSchema } from '../ids.js';
import { rolesSchema } from './roles.js';
import { writtenTextSchema } from './written-text.js';

/** `operator`: may manage the whole installation. */
export const accountRoleSchema = z.enum(['user', 'operator']);

/**
 * A person who may sign in with `AUTH=local`. Accounts are never removed, only deactivated: conversations name their
 * `_id`.
 */
export const accountSchema = z.object({
  _id: idSchema,
  /** 1, 2, … in the order of registration. Unique, so that exactly one account is the first, which is an operator. */
  number: z.int().min(1),
  email: writtenTextSchema,
  /** Hash of the address without its case; unique. */
  email_key: z.string(),
  username: writtenTextSchema,
  /** Hash of the name without its case; unique. */
  username_key: z.string(),
  /** Hash of how the name looks; unique among the accounts that have one. Older accounts may lack it. */
  look_key: z.string().optional(),
  full_name: writtenTextSchema.nullable(),
  /** Salt, cost and hash in one text. */
  password: z.string(),
  /** As with `is_active`, the last writer wins. */
  role: accountRoleSchema,
  /** Names that rules of tools ask for; absent: none. */
  roles: rolesSchema.optional(),
  is_active: z.boolean(),
  created_at: timestampSchema,
});

/** A value that all processes of an installation must share and no one else may know. The first one stays. */
export const secretSchema = z.object({ _id: idSchema, value: z.string(), created_at: timestampSchema });

export type Account = z.infer<typeof accountSchema>;
export type AccountRole = z.infer<typeof accountRoleSchema>;
export type Secret = z.infer<typeof secretSchema>;
