import type { Worker } from 'node:worker_threads';
import type { CheckAnswer } from './check-thread.js';
import type { CheckEnd, CheckRequest } from './slow-checks.port.js';
import { startThread } from './start-thread.js';

const THREAD = { compiled: './check-thread.js', source: './testing/source-check-thread.mjs' };
/** Covers its imports and the first meta-schema. */
const START_MS = 30_000;
const SLICE_MS = 50;
/** Room for parsed arguments of 1 MiB and for compiled schemas. */
const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/**
 * One thread. The first check starts it, and the first check after its end starts it again. Runs one check at a time.
 */
export class Checker {
  private worker: Worker | undefined;
  private ready: Promise<boolean> | undefined;

  async check(request: CheckRequest, limitMs: number): Promise<CheckEnd> {
    const worker = (this.worker ??= this.start());
    // A caller waits for the answer; an idle thread keeps no process alive.
    worker.ref();
    try {
      if (!(await this.ready)) return this.end(worker, 'died');
      const answering = answerOf(worker, limitMs);
      worker.postMessage(request);
      const answer = await answering;
      if (typeof answer === 'object' || answer === 'failed') return answer;
      return this.end(worker, answer === 'too_slow' ? answer : 'died');
    } finally {
      worker.unref();
    }
  }

  async stop(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.terminate();
  }

  private start(): Worker {
    const worker = startThread(import.meta.url, THREAD, { resourceLimits: HEAP });
    worker.on('error', () => this.forget(worker));
    worker.on('exit', () => this.forget(worker));
    this.ready = answerOf(worker, START_MS).then((answer) => answer === 'ready');
    return worker;
  }

  private end(worker: Worker, why: 'too_slow' | 'died'): CheckEnd {
    this.forget(worker);
    void worker.terminate();
    return why;
  }

  private forget(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined;
  }
}

/**
 * The thread's next message. Only the machine's timers can measure a machine's thread. Time counts in slices of this
 * thread: while the machine or this process is stopped, no time counts.
 */
function answerOf(worker: Worker, limitMs: number): Promise<CheckAnswer> {
  return new Promise((resolve) => {
    let passedMs = 0;
    const settle = (answer: CheckAnswer) => {
      clearInterval(timer);
      worker.off('message', settle).off('error', onEnd).off('exit', onEnd);
      resolve(answer);
    };
    const onEnd = () => settle('died');
    const timer = setInterval(() => {
      passedMs += SLICE_MS;
      if (passedMs >= limitMs) settle('too_slow');
    }, SLICE_MS);
    worker.on('message', settle).on('error', onEnd).on('exit', onEnd);
  });
}
