import { pino } from 'pino';
import type { LogLevel } from '#contracts';
import { createReadableStream } from './readable-lines.js';
import { redactFields, redactText, toPrintableLine } from './redact.js';

export type Logger = pino.Logger;

export interface LoggerOptions {
  /** The role that logs: `gateway`, `orchestrator`, `worker`, `standalone`. */
  role: string;
  level?: LogLevel;
  /** Short readable lines instead of JSON; default: only when standard output is a terminal. */
  pretty?: boolean;
  /**
   * The destination of lines; default: standard output, written synchronously so that the last line before a crash is
   * there.
   */
  destination?: { write(line: string): void };
}

/**
 * The process's logger. Every message and field, also of child loggers, is printable, bounded and without secrets:
 * fields named like a secret are hidden completely, and texts lose credentials of URLs, API keys and tokens.
 */
export function createLogger({
  role,
  level = 'info',
  pretty = process.stdout.isTTY,
  destination,
}: LoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: { role },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => redactFields(fields) as Record<string, unknown>,
      },
      serializers: {
        err: (described: unknown) => described,
        msg: (message: unknown) =>
          typeof message === 'string' ? redactText(toPrintableLine(message)) : message,
      },
    },
    chooseDestination(pretty, destination),
  );
  return redactBindings(logger);
}

/** For records that must be written whatever the level hides; only `silent`, as long as it lasts, hides them too. */
export function auditLoggerOf(logger: Logger): Pick<Logger, 'info'> {
  const audit = logger.child({});
  // Set on its own: a child that is made with the level of its parent follows the changes of the parent.
  audit.level = 'info';
  const info = (fields: object, message?: string) => {
    if (logger.level !== 'silent') audit.info(fields, message);
  };
  return { info: info };
}

function chooseDestination(
  pretty: boolean,
  destination: LoggerOptions['destination'],
): { write(line: string): void } {
  if (!pretty) return destination ?? pino.destination({ fd: 1, sync: true });
  const colors = destination === undefined && process.stdout.isTTY && !process.env.NO_COLOR;
  const write = destination ?? process.stdout;
  return createReadableStream((text) => write.write(text), { colors });
}

/** pino formats the fields of a line but not those of a child logger. Children inherit the replaced method. */
function redactBindings(logger: Logger): Logger {
  const original = logger.child;
  function childWithoutSecrets(
    this: Logger,
    bindings: pino.Bindings,
    options?: pino.ChildLoggerOptions,
  ): Logger {
    return Reflect.apply(original, this, [redactFields(bindings), options]) as Logger;
  }
  return Object.assign(logger, { child: childWithoutSecrets });
}
