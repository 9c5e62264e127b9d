import { RateWindow, type Clock } from '#time';
import type { McpLogger } from '../config/telemetry.js';

const MINUTE_MS = 60_000;
export const LINES_PER_MINUTE = 1_000;

/**
 * What a server has to say, without letting it fill a disk or hide what others say: after so many lines the rest of
 * the minute is left out, which is logged once, and how many they were as soon as the server writes again.
 */
export function limitLines(logger: McpLogger, server: string, clock: Pick<Clock, 'now'>): McpLogger {
  const written = new RateWindow(clock, { windowMs: MINUTE_MS, sliceMs: MINUTE_MS });
  let leftOut = 0;
  const mayWrite = () => {
    const isNewMinute = written.sumOf(server) === 0;
    if (isNewMinute && leftOut > 0) {
      logger.warn({ server, lines: leftOut }, 'lines of an MCP server were left out');
      leftOut = 0;
    }
    written.add(server, 1);
    if (written.sumOf(server) <= LINES_PER_MINUTE) return true;
    if (leftOut++ === 0)
      logger.warn({ server }, `an MCP server writes more than ${LINES_PER_MINUTE} lines a minute`);
    return false;
  };
  return {
    info: (...line) => void (mayWrite() && logger.info(...line)),
    warn: (...line) => void (mayWrite() && logger.warn(...line)),
    error: (...line) => void (mayWrite() && logger.error(...line)),
  };
}
