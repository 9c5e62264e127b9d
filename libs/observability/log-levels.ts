import type { LogLevel } from '#contracts';
import { auditLoggerOf, type Logger } from './logger.js';

/** The level of a process's logger, which operators change while the process runs. */
export class LogLevels {
  private readonly configured: LogLevel;
  private readonly auditLog: Pick<Logger, 'info'>;

  constructor(private readonly logger: Logger) {
    this.configured = logger.level as LogLevel;
    this.auditLog = auditLoggerOf(logger);
  }

  get current(): LogLevel {
    return this.logger.level as LogLevel;
  }

  /** Until the next change, or the end of the process. Undefined: as configured. */
  set(level: LogLevel = this.configured): void {
    const from = this.current;
    if (level === from) return;
    const note = () => this.auditLog.info({ audit: 'log_level_changed', from, to: level }, 'log level');
    // At the level at which it can be seen.
    if (level === 'silent') note();
    this.logger.level = level;
    if (level !== 'silent') note();
  }

  /** From any level to `debug`, and from there to the configured one. */
  toggleDebug(): void {
    this.set(this.current === 'debug' ? undefined : 'debug');
  }
}
