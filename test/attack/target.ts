import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newFolder, writeSettings } from '../e2e/standalone-process.js';
import { startProcess, type SwitchyardProcess } from '../services/processes.js';

export interface TargetOptions {
  env?: Record<string, string>;
  /** What `CONFIG` holds. */
  settings?: object;
  /** `--max-old-space-size`. */
  heapMiB?: number;
}

/** The built standalone program with accounts, on a data folder of its own. */
export async function startTarget({ env = {}, settings, heapMiB }: TargetOptions = {}): Promise<Target> {
  const fullEnv: Record<string, string> = { DATA_DIR: await newFolder(), AUTH: 'local', ...env };
  if (settings !== undefined) fullEnv.CONFIG = await writeSettings('switchyard.json', settings);
  if (heapMiB !== undefined) fullEnv.NODE_OPTIONS = `--max-old-space-size=${heapMiB}`;
  return new Target(await startProcess('standalone', fullEnv));
}

/** A process under attack, and what can be seen of it from outside. */
export class Target {
  private watcher: ChildProcess | undefined;

  constructor(readonly process: SwitchyardProcess) {}

  get url(): string {
    return this.process.url;
  }

  get port(): number {
    return this.process.port;
  }

  /** From here on the longest answer of `/health/live` and the peak of resident memory are noted. */
  beginWatch(): void {
    const { url, pid } = this.process;
    const watcher = fileURLToPath(new URL('./watch-process.mjs', import.meta.url));
    this.watcher = fork(watcher, [url, String(pid)], { execArgv: [] });
  }

  async endWatch(): Promise<{ isAlive: boolean; longestSilenceMs: number; peakMiB: number }> {
    const watched = once(this.watcher!, 'message') as Promise<
      [{ longestSilenceMs: number; peakMiB: number }]
    >;
    this.watcher!.send('end');
    const [seen] = await watched;
    return { isAlive: this.process.isRunning, ...seen };
  }

  /** Bytes that the process has read so far, from connections and files; what kernels hold for it is not among them. */
  readBytes(): number {
    return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${this.process.pid}/io`, 'utf8'))?.[1]);
  }

  /** Resident memory in MiB; 0 when the process has ended. */
  rssMiB(): number {
    try {
      const status = readFileSync(`/proc/${this.process.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }

  /** An account of its own; answers its token. */
  async register(username: string): Promise<string> {
    const password = 'correct horse';
    const send = (path: string, body: string, type: string) =>
      fetch(`${this.url}/api/auth/${path}`, { method: 'POST', headers: { 'content-type': type }, body });
    const account = { email: `${username}@example.org`, username, password };
    const made = await send('register', JSON.stringify(account), 'application/json');
    if (made.status !== 201) throw new Error(`registering ${username}: ${made.status} ${await made.text()}`);
    const form = new URLSearchParams({ username, password }).toString();
    const signedIn = await send('token', form, 'application/x-www-form-urlencoded');
    return ((await signedIn.json()) as { access_token: string }).access_token;
  }

  async stop(): Promise<void> {
    this.watcher?.kill();
    await this.process.kill();
  }
}
