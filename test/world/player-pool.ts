import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Finding } from '../soak/judge/finding.js';
import type { Edit } from './bundle.js';
import type { Order, Report } from './player.js';
import type { Search, Searched } from './search.js';
import type { Walked, WalksTask } from './walks.js';

/** In reach of the packages, and of nothing that looks at sources. */
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.cache', `world-${process.pid}`);
const AS_TYPESCRIPT = ['--import', './scripts/typescript-register.mjs', '--conditions=switchyard-source'];

/** Some processes that play worlds at the same time: without jest around it a world takes two thirds of the time. */
export class PlayerPool {
  private readonly children = new Set<ChildProcess>();
  private readonly idle: ChildProcess[] = [];
  private readonly waiting: ((child: ChildProcess) => void)[] = [];
  private programs = 0;
  private isClosed = false;

  async open(size: number): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (let i = 0; i < size; i++) this.idle.push(this.start());
  }

  /** What is under way, for tests that did not run, is given up. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const child of this.children) child.kill();
    await rm(folder, { recursive: true, force: true });
  }

  /** What the product, changed by this edit, breaks. A process that ends has broken something, too. */
  async search(where: Search, edit?: Edit): Promise<Searched> {
    const ended = (how: string) => ({ seed: where.from, found: [complaint(how)] });
    return (await this.run({ program: 'search.ts', task: where, edit }, ended)) as Searched;
  }

  /** One world after the other, in one process. */
  async walk(task: WalksTask): Promise<Walked[]> {
    const ended = (how: string) => {
      throw new Error(`while it played ${JSON.stringify(task)}: ${complaint(how).what}`);
    };
    return (await this.run({ program: 'walks.ts', task }, ended)) as Walked[];
  }

  private async run(order: Omit<Order, 'file'>, ended: (how: string) => unknown): Promise<unknown> {
    const child = this.idle.pop() ?? (await new Promise<ChildProcess>((take) => this.waiting.push(take)));
    const place = order.edit ? ++this.programs : `${order.program}-${child.pid}`;
    try {
      const report = await this.ask(child, { ...order, file: join(folder, `program-${place}.mjs`) });
      if (typeof report === 'string') return ended(report);
      if ('error' in report) throw new Error(report.error);
      return report.result;
    } finally {
      if (!this.isClosed) this.giveBack(child.connected ? child : this.start());
    }
  }

  /** Resolves with the exit code or signal of a process that ended instead of answering. */
  private ask(child: ChildProcess, order: Order): Promise<Report | string> {
    return new Promise((answer) => {
      const ended = (code: number | null, signal: string | null) => answer(String(code ?? signal));
      child.once('exit', ended);
      child.once('message', (report: Report) => {
        child.off('exit', ended);
        answer(report);
      });
      child.send(order);
    });
  }

  private start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'player.ts'), {
      cwd: root,
      execArgv: AS_TYPESCRIPT,
      stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    });
    this.children.add(child);
    child.once('exit', () => this.children.delete(child));
    return child;
  }

  private giveBack(child: ChildProcess): void {
    const next = this.waiting.shift();
    if (next) next(child);
    else this.idle.push(child);
  }
}

function complaint(how: string): Finding {
  return { goal: 'complaint', what: `the process ended by itself (${how})` };
}
