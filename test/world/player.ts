import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, type Edit } from './bundle.js';

/** Which program to run, with what; `file` is what it is written to, a new one for each edit. */
export interface Order {
  /** Beside this file; exports `run`. */
  program: string;
  file: string;
  task: unknown;
  edit?: Edit;
}

export type Report = { result: unknown } | { error: string };

const written = new Map<string, Promise<void>>();

/*
 * A process that runs one program after the other: the packages that all of them load are loaded once. As in
 * production, an error that nobody caught ends it.
 */
async function run({ program, file, task, edit }: Order): Promise<Report> {
  try {
    if (!written.has(file)) written.set(file, bundle(join(import.meta.dirname, program), file, edit));
    await written.get(file);
  } catch (error) {
    return { error: String(error) };
  }
  const loaded = (await import(pathToFileURL(file).href)) as { run(task: unknown): Promise<unknown> };
  return { result: await loaded.run(task) };
}

process.on('message', (order: Order) => void run(order).then((report) => process.send!(report)));
