import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle, type Edit } from './bundle.js';
import type * as Program from './search.js';

/** Which program to search with, and where; `file` is what the program is written to. */
export interface Order {
  file: string;
  search: Program.Search;
  edit?: Edit;
}

export type Report = Program.Searched | { error: string };

/*
 * A process that searches with one program after the other: the packages that all of them load are loaded once. As in
 * production, an error that nobody caught ends it.
 */
async function search({ file, search: where, edit }: Order): Promise<Report> {
  try {
    await bundle(join(import.meta.dirname, 'search.ts'), file, edit);
  } catch (error) {
    return { error: String(error) };
  }
  const program = (await import(pathToFileURL(file).href)) as typeof Program;
  return program.search(where);
}

process.on('message', (order: Order) => void search(order).then((report) => process.send!(report)));
