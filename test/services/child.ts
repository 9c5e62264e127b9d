import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { standStill } from './stand-still.js';
import { StopWaiting, waitFor } from './wait-for.js';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  cwd?: string;
}

const keptLogCharacters = 1024 * 1024;
/** A thread in a system call that cannot be interrupted stops when it returns. */
const FREEZE_MS = 1_000;

/** Every child started in this realm; the jest environment prints their logs on failure and kills leftovers. */
export const startedChildren: Child[] = ((
  globalThis as { switchyardChildren?: Child[] }
).switchyardChildren ??= []);

/** A child with a process group of its own, so that a signal reaches its children too. */
export class Child {
  readonly exit: Promise<Exit>;
  private lines = '';
  private ended = false;
  private readonly process: ChildProcess;

  constructor(
    readonly name: string,
    command: string,
    commandArguments: string[],
    options: ChildOptions,
  ) {
    const [file, ...rest] = [...dieWithParent(), command, ...commandArguments] as [string, ...string[]];
    this.process = spawn(file, rest, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout!, this.process.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.keep(text));
    }
    this.exit = new Promise((resolve) => {
      this.process.once('error', (error) => this.end(resolve, { code: null, signal: null }, String(error)));
      this.process.once('exit', (code, signal) => this.end(resolve, { code, signal }));
    });
    startedChildren.push(this);
  }

  get pid(): number {
    return this.process.pid ?? -1;
  }

  /** The last megabyte of stdout and stderr, mixed as they came. */
  get log(): string {
    return this.lines;
  }

  get isRunning(): boolean {
    return !this.ended;
  }

  /** Sends the signal to the whole group and waits for the end. A frozen child is thawed to obey. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<Exit> {
    this.signal(signal);
    if (signal !== 'SIGKILL') this.signal('SIGCONT');
    return this.exit;
  }

  /** SIGTERM, and SIGKILL for who takes longer than `patienceMs`. */
  async terminate(patienceMs: number): Promise<Exit> {
    const timer = setTimeout(() => this.signal('SIGKILL'), patienceMs);
    const exit = await this.kill('SIGTERM');
    clearTimeout(timer);
    return exit;
  }

  /** Returns when nothing of it runs any more: the signal alone takes effect a moment later. */
  freeze(): void {
    this.signal('SIGSTOP');
    const givesUpAt = performance.now() + FREEZE_MS;
    while (performance.now() < givesUpAt && threadStates(this.pid).some((state) => !/[TtZX]/.test(state)))
      standStill(1);
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.ended || this.pid < 0) return;
    try {
      process.kill(-this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** Waits until `ask` says yes; fails at once, with the log, when the child ends instead. */
  async becomeReady(ask: () => unknown, timeoutMs: number): Promise<void> {
    const question = async () => {
      if (this.ended) throw new StopWaiting(`${this.name} ended before it was ready:\n${this.lines}`);
      return Boolean(await ask());
    };
    try {
      await waitFor(question, { what: `${this.name} being ready`, timeoutMs, intervalMs: 50 });
    } catch (error) {
      await this.kill();
      throw error instanceof StopWaiting
        ? error
        : new Error(`${String(error)}\n${this.lines}`, { cause: error });
    }
  }

  private keep(text: string): void {
    this.lines = (this.lines + text).slice(-keptLogCharacters);
  }

  private end(resolve: (exit: Exit) => void, exit: Exit, note = ''): void {
    this.ended = true;
    this.keep(note);
    resolve(exit);
  }
}

/** Runs a command to its end and returns what it printed; a failure carries the output. */
export async function runCommand(
  command: string,
  commandArguments: string[],
  options: ChildOptions,
): Promise<string> {
  const child = spawn(command, commandArguments, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return output;
  throw new Error(`${command} ${commandArguments.join(' ')} failed (${code}):\n${output}`);
}

/** Linux only: without it a killed test run leaves its services behind. */
function dieWithParent(): string[] {
  return existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'KILL'] : [];
}

/** Of every thread of a process group, as the kernel names them (`T`: stopped); none where there is no /proc. */
function threadStates(group: number): string[] {
  if (!existsSync('/proc')) return [];
  const members = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && statOf(name)[2] === String(group),
  );
  return members.flatMap((pid) =>
    listThreads(pid).map((thread) => statOf(`${pid}/task/${thread}`)[0] ?? 'X'),
  );
}

function listThreads(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** State, parent, group and what follows; a process that has just ended has nothing. */
function statOf(path: string): string[] {
  try {
    const text = readFileSync(`/proc/${path}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
