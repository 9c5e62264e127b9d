import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadFiles {
  /** Beside the compiled file that starts it. */
  compiled: string;
  /** Beside the same file as TypeScript (tests): compiles the thread as it is loaded. */
  source: string;
}

/** Starts a thread whose file lies at a path relative to that of `starter`, a module's `import.meta.url`. */
export function startThread(
  starter: string,
  { compiled, source }: ThreadFiles,
  options?: WorkerOptions,
): Worker {
  if (!starter.endsWith('.ts')) return new Worker(new URL(compiled, starter), options);
  return new Worker(new URL(source, starter), { ...options, execArgv: ['--conditions=switchyard-source'] });
}
