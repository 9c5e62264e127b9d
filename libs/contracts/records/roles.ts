import { z } from 'zod';

export const MAX_ROLES = 100;

/** A name that rules of tools ask for: a role or a group of a user. */
export const userRoleSchema = z
  .string()
  .min(1, { error: 'must not be empty', abort: true })
  .max(128)
  .regex(/^[^\p{Cc}\p{Cs}]+$/u, { error: 'must be text without control characters' });

/** A user's, each once. */
export const rolesSchema = z.array(userRoleSchema).max(MAX_ROLES);
