import { spawn, type ChildProcess } from 'node:child_process';

const KEPT_CHARACTERS = 64 * 1024;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The worker that is tried, as a process of its own with whatever it starts. */
export class WorkerProcess {
  readonly exit: Promise<Exit>;
  hasEnded = false;
  /** Once it has ended. */
  ending?: Exit;
  /** Resolves when everything that it wrote is in `output`. */
  readonly outputEnd: Promise<void>;
  /** The last of what it wrote. */
  output = '';
  private readonly child: ChildProcess;

  constructor([file, ...parameters]: readonly string[], environment: Record<string, string | undefined>) {
    this.child = spawn(file!, parameters, {
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-KEPT_CHARACTERS);
      });
    this.outputEnd = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.exit = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        this.hasEnded = true;
        this.ending = exit;
        resolve(exit);
      };
      this.child.once('error', (error) => {
        this.output += String(error);
        end({ code: null, signal: null });
      });
      this.child.once('exit', (code, signal) => end({ code, signal }));
    });
  }

  lastLines(count: number): string {
    return this.output.trim().split('\n').slice(-count).join('\n');
  }

  /** To all of its processes. */
  kill(signal: NodeJS.Signals): void {
    if (this.hasEnded || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
}
