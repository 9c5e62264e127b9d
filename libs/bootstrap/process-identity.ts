import type { Role } from '#contracts';
import type { Random } from '#time';

/** `<role>-<uuid>`: new at every start, so that a restarted process is never mistaken for its predecessor. */
export function createProcessId(role: Role, random: Random): string {
  return random.id(`${role}-`);
}
