import { z } from 'zod';
import { timestampSchema } from '../ids.js';
import { writtenTextSchema } from './written-text.js';

/**
 * What is known about the access that people have given us to MCP servers (OAuth). `tokens`: of one user, at one issuer,
 * for one server. `client`: our own registration at an issuer. `flow`: a person who is on the way to the issuer and back.
 * `claim`: the right to refresh tokens.
 */
export const connectionSchema = z.object({
  /** A hash of what the row is about. */
  _id: z.string().max(128),
  kind: z.enum(['tokens', 'client', 'flow', 'claim']),
  /** Empty for a `client`, which all users share. */
  user_id: z.string(),
  /** The server's name in `mcp.json`. */
  server: writtenTextSchema,
  /** The authorization server's identifier. */
  issuer: writtenTextSchema,
  /** What the tokens are for, as the server names itself (RFC 8707), or else its address. */
  resource: writtenTextSchema,
  /** Random; another one with each change. */
  version: z.string(),
  /** Encrypted with a key that is not in the store; may be empty. */
  sealed: z.string(),
  at: timestampSchema,
  /** It is removed then. */
  expires_at: timestampSchema.optional(),
});

export type Connection = z.infer<typeof connectionSchema>;
