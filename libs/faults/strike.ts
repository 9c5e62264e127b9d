import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './parse-fault.js';

const STANDARD_ERROR = 2;
const SIGNAL_EFFECT_MS = 100;

/** Written to standard error first, because a test without a strike proves nothing. */
export function createStrike(drops: readonly (() => void)[]): (fault: Fault) => Promise<void> {
  return async (fault) => {
    writeSync(STANDARD_ERROR, `fault ${fault.name}:${fault.kind} strikes\n`);
    switch (fault.kind) {
      case 'delay':
        return sleep(fault.delayMs);
      case 'drop_connection':
        if (drops.length === 0) throw new Error('this process has no connection to a broker');
        for (const drop of drops) drop();
        return;
      case 'kill':
      case 'freeze':
        process.kill(process.pid, fault.kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
        // The signal may take effect a moment later, and no code of the caller may run before that.
        return sleep(SIGNAL_EFFECT_MS);
    }
  };
}
