import { fork, type ChildProcess } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Edit } from './bundle.js';
import type { Search, Searched } from './search.js';
import type { Order, Report } from './searcher.js';

/** In reach of the packages, and of nothing that looks at sources. */
const root = resolve(import.meta.dirname, '../..');
const folder = join(root, 'node_modules/.cache', `world-${process.pid}`);
const AS_TYPESCRIPT = ['--import', './scripts/typescript-register.mjs', '--conditions=switchyard-source'];

/** Some processes that search worlds at the same time, each with a program of its own. */
export class SearchPool {
  private readonly children = new Set<ChildProcess>();
  private readonly idle: ChildProcess[] = [];
  private readonly waiting: ((child: ChildProcess) => void)[] = [];
  private programs = 0;
  private isClosed = false;

  async open(size: number): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (let i = 0; i < size; i++) this.idle.push(this.start());
  }

  /** Searches under way, of tests that did not run, are given up. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const child of this.children) child.kill();
    await rm(folder, { recursive: true, force: true });
  }

  /** What the product, changed by this edit, breaks. A process that ends has broken something, too. */
  async search(where: Search, edit?: Edit): Promise<Searched> {
    const child = this.idle.pop() ?? (await new Promise<ChildProcess>((take) => this.waiting.push(take)));
    try {
      const file = join(folder, `program-${++this.programs}.mjs`);
      const report = await this.ask(child, { file, search: where, ...(edit ? { edit } : {}) });
      if ('error' in report) throw new Error(report.error);
      return report;
    } finally {
      if (!this.isClosed) this.giveBack(child.connected ? child : this.start());
    }
  }

  private ask(child: ChildProcess, order: Order): Promise<Report> {
    return new Promise((answer) => {
      const ended = (code: number | null, signal: string | null) =>
        answer({
          seed: order.search.from,
          found: [{ goal: 'complaint', what: `the process ended by itself (${code ?? signal})` }],
        });
      child.once('exit', ended);
      child.once('message', (report: Report) => {
        child.off('exit', ended);
        answer(report);
      });
      child.send(order);
    });
  }

  private start(): ChildProcess {
    const child = fork(join(import.meta.dirname, 'searcher.ts'), {
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
