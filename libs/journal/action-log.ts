import type { AuditedAction, AuditRecord } from '#contracts';
import { timestampOf, type Clock } from '#time';
import type { AuditTrail } from './audit-trail.js';
import type { Log } from './ports.js';

/** Who did what to which subject or turn. */
export interface Action extends Pick<
  AuditRecord,
  'user_id' | 'subject' | 'status' | 'conversation_id' | 'turn_id' | 'tool_call_id' | 'tool'
> {
  audit: AuditedAction;
}

export interface ActionLogDeps {
  /** The audit log. */
  log: Pick<Log, 'info'>;
  /** Absent: actions are only logged. */
  trail?: Pick<AuditTrail, 'keep'> | undefined;
  clock: Pick<Clock, 'wall'>;
}

/** Audits what people do to a running system: a line in the log, and a record in the store. */
export class ActionLog {
  constructor(private readonly deps: ActionLogDeps) {}

  /** `details`: only for the log. */
  note({ subject, status, ...action }: Action, details: object = {}): void {
    const { log, trail, clock } = this.deps;
    log.info({ ...action, ...details }, 'action');
    const about = { ...(subject !== undefined && { subject }), ...(status !== undefined && { status }) };
    trail?.keep({ at: timestampOf(clock), ...action, ...about });
  }
}
