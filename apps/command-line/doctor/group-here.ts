import type { Environment } from '#bootstrap';

/** The group of the worker that would start with these variables, which then has no store. */
export function groupHere({ WORKER_GROUP: group = '' }: Environment): string | undefined {
  return group.trim() || undefined;
}
