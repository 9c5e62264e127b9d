import { randomUUID } from 'node:crypto';
import type { Role } from '#contracts';

/** `<role>-<uuid>`: new at every start, so a restarted process is never taken for the one before it. */
export function createProcessId(role: Role): string {
  return `${role}-${randomUUID()}`;
}
