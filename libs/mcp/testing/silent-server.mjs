import { setInterval } from 'node:timers';

/* An MCP server over stdio that reads everything, answers nothing and ignores SIGTERM. */
process.stdin.resume();
process.on('SIGTERM', () => undefined);
setInterval(() => undefined, 60_000);
