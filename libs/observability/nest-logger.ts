import type { LoggerService } from '@nestjs/common';
import type { Logger } from './logger.js';

/** Logs why it cannot listen and then throws the same error, which `runMain` explains. */
const HANDED_ON = 'NestApplication';

/**
 * Makes Nest log through our logger: `NestFactory.create(…, { logger: createNestLogger(logger) })`. The framework's
 * messages about its own start-up are `debug`.
 */
export function createNestLogger(logger: Logger): LoggerService {
  const nest = logger.child({ from: 'nest' });
  return {
    log: (message: unknown, ...rest: unknown[]) => nest.debug({ context: lastText(rest) }, toText(message)),
    debug: (message: unknown, ...rest: unknown[]) => nest.debug({ context: lastText(rest) }, toText(message)),
    verbose: (message: unknown, ...rest: unknown[]) =>
      nest.trace({ context: lastText(rest) }, toText(message)),
    warn: (message: unknown, ...rest: unknown[]) => nest.warn({ context: lastText(rest) }, toText(message)),
    error: (message: unknown, ...rest: unknown[]) => {
      const context = lastText(rest);
      const level = context === HANDED_ON ? 'debug' : 'error';
      nest[level]({ ...describe(message, rest), context }, toText(message));
    },
    fatal: (message: unknown, ...rest: unknown[]) =>
      nest.fatal({ ...describe(message, rest), context: lastText(rest) }, toText(message)),
  };
}

/** Nest passes the name of the logging class last. */
function lastText(rest: unknown[]): string | undefined {
  const last = rest.at(-1);
  return typeof last === 'string' ? last : undefined;
}

/** An error comes either whole or as its text followed by its stack. */
function describe(message: unknown, rest: unknown[]): Record<string, unknown> {
  if (message instanceof Error) return { err: message };
  return rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {};
}

function toText(message: unknown): string {
  return message instanceof Error ? message.message : String(message);
}
