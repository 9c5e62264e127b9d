import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Watches an attacked process from another one: whoever makes bodies of 50 MB is silent at times itself, and would take
 * that for the silence of the process that it attacks.
 */

const [url, pid] = process.argv.slice(2);
let isWatching = true;
let longestSilenceMs = 0;
let peakMiB = 0;
process.once('message', () => (isWatching = false));
process.once('disconnect', () => process.exit());

while (isWatching) {
  const askedAt = process.hrtime.bigint();
  const isThere = await answers();
  longestSilenceMs = Math.max(longestSilenceMs, Number(process.hrtime.bigint() - askedAt) / 1e6);
  peakMiB = Math.max(peakMiB, rssMiB());
  // A process that has ended says at once that it is not there.
  await delay(isThere ? 10 : 100);
}
process.send({ longestSilenceMs, peakMiB }, () => process.disconnect());

function answers() {
  return new Promise((resolve) => {
    const asked = get(`${url}/health/live`, (answer) => answer.resume().once('close', () => resolve(true)));
    asked.once('error', () => resolve(false));
  });
}

function rssMiB() {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
