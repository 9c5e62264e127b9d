import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram } from './built.js';
import { Child, type Exit } from './child.js';
import { findFreePort } from './free-port.js';

export type ProcessKind = 'gateway' | 'orchestrator' | 'tool-worker' | 'standalone';

export interface SwitchyardProcess {
  readonly kind: ProcessKind;
  readonly pid: number;
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly exit: Promise<Exit>;
  /** stdout and stderr so far. The services environment of jest prints it when a test fails. */
  readonly log: string;
  readonly isRunning: boolean;
  /** Sends the signal (default SIGKILL) to the process and its children and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  freeze(): void;
  thaw(): void;
  /** Resolves when `GET /health/ready` answers 200; rejects with the log when the process ends before. */
  ready(timeoutMs?: number): Promise<void>;
}

export interface ProcessOptions {
  /** Default: this working tree, whose `dist` must not be older than its sources. */
  directory?: string;
  /** Return at once, for processes that are expected to fail or to wait; call `ready()` later. */
  waitUntilReady?: boolean;
  readyTimeoutMs?: number;
}

const project = fileURLToPath(new URL('../..', import.meta.url));
const defaultReadyTimeoutMs = 30_000;

/**
 * Starts `node dist/bin/<kind>.js` with `env` and little else, on a free port (or `env.PORT`). What a test
 * file leaves running is killed when it ends.
 */
export async function startProcess(
  kind: ProcessKind,
  env: Record<string, string> = {},
  { directory, waitUntilReady = true, readyTimeoutMs }: ProcessOptions = {},
): Promise<SwitchyardProcess> {
  const main = directory === undefined ? builtProgram(kind) : join(directory, 'dist', 'bin', `${kind}.js`);
  if (!existsSync(main)) throw new Error(`${main} is missing: npm run build`);
  const port = Number(env.PORT ?? (await findFreePort()));
  const started = new NodeProcess(kind, port, main, directory ?? project, env);
  if (waitUntilReady) await started.ready(readyTimeoutMs);
  return started;
}

class NodeProcess extends Child implements SwitchyardProcess {
  readonly url: string;
  private readonly opsUrl: string;

  constructor(
    readonly kind: ProcessKind,
    readonly port: number,
    main: string,
    cwd: string,
    env: Record<string, string>,
  ) {
    const inherited = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    const command = ['--enable-source-maps', main];
    const fullEnv = { ...inherited, HOST: '127.0.0.1', ...env, PORT: String(port) };
    super(kind, process.execPath, command, { cwd, env: fullEnv });
    this.url = `http://127.0.0.1:${port}`;
    this.opsUrl = `http://127.0.0.1:${env.OPS_PORT ?? port}`;
  }

  async ready(timeoutMs = defaultReadyTimeoutMs): Promise<void> {
    await this.becomeReady(() => this.isReady(), timeoutMs);
  }

  private async isReady(): Promise<boolean> {
    const response = await fetch(`${this.opsUrl}/health/ready`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.status === 200;
  }
}
