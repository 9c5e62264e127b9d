import { z } from 'zod';
import { timestampSchema } from '../ids.js';
import { LOG_LEVELS } from '../log-level.js';

/**
 * What operators can switch. `toolset`, `tool`: paused, so no call of it begins. `process`: it drains, so it takes no
 * new work. `turns`: new messages are refused; its only name is `all`. `logs`: the log level of a process, or of `all`.
 */
export const SWITCH_KINDS = ['toolset', 'tool', 'process', 'turns', 'logs'] as const;
export type SwitchKind = (typeof SWITCH_KINDS)[number];

export const MAX_SWITCH_REASON = 500;

/** `by` of a switch that blocks a breaking change of a tool; no user has this id. */
export const QUARANTINE = 'quarantine';

/** Something that an operator has switched. The row is removed when it is undone; the last writer wins. */
export const switchSchema = z.object({
  /** See `switchIdOf`. */
  _id: z.string().min(1).max(200),
  kind: z.enum(SWITCH_KINDS),
  name: z.string().min(1).max(150),
  /** The operator. */
  by: z.string(),
  at: timestampSchema,
  /** For people: shown to everybody whom the switch stops. */
  reason: z.string().max(MAX_SWITCH_REASON).optional(),
  /** Of `logs`, and of no other kind. */
  level: z.enum(LOG_LEVELS).optional(),
});

export type Switch = z.infer<typeof switchSchema>;

export function switchIdOf(kind: SwitchKind, name: string): string {
  return `${kind}:${name}`;
}
