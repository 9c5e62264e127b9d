import type { LoggingLevel, LoggingMessageNotificationParams } from '@modelcontextprotocol/client';
import { toPrintable } from '#tools';
import type { McpLogger } from './mcp-logger.js';

const MAX_LENGTH = 2000;

/** What servers are asked to report: `debug` is for their authors. */
export const LOG_LEVEL = 'info' satisfies LoggingLevel;

/** Writes a log message of a server to the operators' log; returns its text. */
export function logMessage(
  server: string,
  { level, logger: source, data }: LoggingMessageNotificationParams,
  logger: McpLogger,
): string {
  const text = toPrintable(typeof data === 'string' ? data : JSON.stringify(data), MAX_LENGTH);
  const fields = { server, ...(source !== undefined && { source: toPrintable(source, 100) }) };
  if (level === 'debug' || level === 'info' || level === 'notice') logger.info(fields, text);
  else if (level === 'warning') logger.warn(fields, text);
  else logger.error(fields, text);
  return text;
}
