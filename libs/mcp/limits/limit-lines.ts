import { RateWindow, type Clock } from '#time';
import type { McpLogger } from '../config/telemetry.js';

const MINUTE_MS = 60_000;
export const LINES_PER_MINUTE = 1_000;

/**
 * Bounds the log lines of one server, which could otherwise fill a disk or hide other servers' lines. Lines over the
 * limit are dropped until the minute ends: the first drop is logged, their number with the next line after that.
 */
export function limitLines(logger: McpLogger, server: string, clock: Pick<Clock, 'now'>): McpLogger {
  const written = new RateWindow(clock, { windowMs: MINUTE_MS, sliceMs: MINUTE_MS });
  let dropped = 0;
  const mayWrite = () => {
    const isNewMinute = written.sumOf(server) === 0;
    if (isNewMinute && dropped > 0) {
      logger.warn({ server, lines: dropped }, 'MCP server log lines dropped');
      dropped = 0;
    }
    written.add(server, 1);
    if (written.sumOf(server) <= LINES_PER_MINUTE) return true;
    if (dropped++ === 0)
      logger.warn({ server, limit: LINES_PER_MINUTE }, 'MCP server log lines over the limit per minute');
    return false;
  };
  return {
    info: (...line) => void (mayWrite() && logger.info(...line)),
    warn: (...line) => void (mayWrite() && logger.warn(...line)),
    error: (...line) => void (mayWrite() && logger.error(...line)),
  };
}
