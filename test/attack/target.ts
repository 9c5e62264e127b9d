import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
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
  private readonly watch = new AbortController();
  private watching: Promise<void> | undefined;
  private longestSilence = 0;
  private peakRss = 0;

  constructor(readonly process: SwitchyardProcess) {}

  get url(): string {
    return this.process.url;
  }

  get port(): number {
    return this.process.port;
  }

  /** From here on the longest answer of `/health/live` and the peak of resident memory are noted. */
  beginWatch(): void {
    this.watching = this.probe();
  }

  async endWatch(): Promise<{ isAlive: boolean; longestSilenceMs: number; peakMiB: number }> {
    this.watch.abort();
    await this.watching;
    const { isRunning } = this.process;
    return { isAlive: isRunning, longestSilenceMs: this.longestSilence, peakMiB: this.peakRss };
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
    this.watch.abort();
    await this.process.kill();
  }

  private async probe(): Promise<void> {
    while (!this.watch.signal.aborted && this.process.isRunning) {
      const askedAt = performance.now();
      await fetch(`${this.url}/health/live`, { signal: AbortSignal.timeout(60_000) }).then(
        (answer) => answer.arrayBuffer(),
        () => undefined,
      );
      this.longestSilence = Math.max(this.longestSilence, performance.now() - askedAt);
      this.peakRss = Math.max(this.peakRss, this.rssMiB());
      await delay(10);
    }
  }
}
