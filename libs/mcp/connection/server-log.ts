import type { LoggingLevel, LoggingMessageNotificationParams } from '@modelcontextprotocol/client';
import { toPrintable } from '#tools';
import type { McpLogger } from '../config/telemetry.js';

const MAX_LENGTH = 2000;

/** The level that servers are asked to log at: `debug` is for their authors. */
export const LOG_LEVEL = 'info' satisfies LoggingLevel;

/** The part of a log message that viewers see. */
export interface LoggedMessage {
  level: LoggingLevel;
  /** The logger's name as the server gives it, or the server's name. */
  logger: string;
  /** The `message` of an object that has one, else all of it. */
  text: string;
}

/** Writes a log message of a server to the operators' log. */
export function logMessage(
  server: string,
  { level, logger: source, data }: LoggingMessageNotificationParams,
  logger: McpLogger,
): LoggedMessage {
  const text = toPrintable(typeof data === 'string' ? data : JSON.stringify(data), MAX_LENGTH);
  const fields = { server, ...(source !== undefined && { source: toPrintable(source, 100) }) };
  if (level === 'debug' || level === 'info' || level === 'notice') logger.info(fields, text);
  else if (level === 'warning') logger.warn(fields, text);
  else logger.error(fields, text);
  return { level, logger: toPrintable(source ?? server, 100), text: messageOf(data) ?? text };
}

function messageOf(data: unknown): string | undefined {
  const { message } = (data ?? {}) as { message?: unknown };
  return typeof message === 'string' ? toPrintable(message, MAX_LENGTH) : undefined;
}
