import { z } from 'zod';

/** An id that a client may send or that a route may contain: a plain string, safe in every query and routing key. */
export const idSchema = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/** `call_` + 22 random `[A-Za-z0-9]`, made by the orchestrator when the step is committed. */
export const toolCallIdSchema = z.string().regex(/^call_[A-Za-z0-9]{22}$/);

/** Names of the three kinds of process; also the first part of control routing keys. */
export const roleSchema = z.enum(['gateway', 'orchestrator', 'worker']);

/** `<role>-<uuid>`: the `_id` of a `processes` row and the `owner` of a claim. */
export const processIdSchema = z.string().regex(/^(gateway|orchestrator|worker)-[A-Za-z0-9-]{1,64}$/);

/** `<role>.<uuid>`: where a process receives control messages (routing key on `switchyard.control`). */
export const controlKeySchema = z.string().regex(/^(gateway|orchestrator|worker)\.([A-Za-z0-9-]{1,64}|all)$/);

/** Where every process receives control messages: one key for each role. */
export const ALL_PROCESSES = ['orchestrator.all', 'gateway.all', 'worker.all'] as const;

/** Every worker, also those that ask the ledger: they hear only what concerns each of them. */
export const ALL_WORKERS = ['worker.all', 'ledger.all'] as const;

/** A group of workers that ask the ledger instead of the store. */
export const groupNameSchema = z
  .string()
  .max(20)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*(?![\s\S])/);

/** ISO 8601 with `Z`, millisecond precision: every time in the store and on the wire. */
export const timestampSchema = z.iso.datetime({ precision: null });

/**
 * Chosen by a client so that a resend is the same turn; unique in its conversation (or, for a first message, per user).
 */
export const clientMessageIdSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x21-\x7e]+$/);

export type Role = z.infer<typeof roleSchema>;

/** `orchestrator-1b…` → `orchestrator.1b…`. */
export function controlKey(processId: string): string {
  const at = processId.indexOf('-');
  return `${processId.slice(0, at)}.${processId.slice(at + 1)}`;
}

/**
 * The group of a worker that asks the ledger, by its id or its control key: `worker-<group>--<uuid>`. Undefined for every
 * other process.
 */
export function groupOf(processIdOrKey: string): string | undefined {
  return /^worker[-.]([a-z0-9]+(?:-[a-z0-9]+)*)--/.exec(processIdOrKey)?.[1];
}
