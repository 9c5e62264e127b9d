import { parentPort } from 'node:worker_threads';
import { RequestChecks } from './request-checks.js';
import type { CheckEnd, CheckRequest } from './slow-checks.port.js';

/*
 * Runs in a worker thread: checks arguments against schemas whose check may take forever. A check cannot be
 * interrupted, so a thread that takes too long is ended.
 */

/** The first message is `ready`; then one answer for each request. */
export type CheckAnswer = 'ready' | CheckEnd;

const checks = new RequestChecks();

parentPort?.on('message', (request: CheckRequest) => parentPort?.postMessage(checks.check(request)));
checks.prepare();
parentPort?.postMessage('ready' satisfies CheckAnswer);
