import { Worker, type WorkerOptions } from 'node:worker_threads';

export interface ThreadFiles {
  /** The path next to the compiled file that starts the thread. */
  compiled: string;
  /** The path next to the same file as TypeScript (tests): compiles the thread as it is loaded. */
  source: string;
}

/** Starts a thread from a file at a path relative to that of `starter`, a module's `import.meta.url`. */
export function startThread(
  starter: string,
  { compiled, source }: ThreadFiles,
  options?: WorkerOptions,
): Worker {
  if (!starter.endsWith('.ts')) return new Worker(new URL(compiled, starter), options);
  return new Worker(new URL(source, starter), { ...options, execArgv: ['--conditions=switchyard-source'] });
}
