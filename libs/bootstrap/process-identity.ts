import type { Role } from '#contracts';
import type { Random } from '#time';

/** `<role>-<uuid>`: new at every start, so a restarted process is never taken for the one before it. */
export function createProcessId(role: Role, random: Random): string {
  return random.id(`${role}-`);
}
