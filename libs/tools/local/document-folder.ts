import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MAX_FILES = 20_000;
const MAX_FILE_BYTES = 2 * 1024 * 1024;

export interface DocumentFile {
  /** From the folder, with `/`. */
  path: string;
  modifiedMs: number;
  size: number;
}

/** The `.md` and `.txt` files below a folder; hidden ones, links and files over 2 MiB are left out. */
export function listDocuments(folder: string): DocumentFile[] {
  const files: DocumentFile[] = [];
  const pending = [''];
  for (let below = pending.pop(); below !== undefined && files.length < MAX_FILES; below = pending.pop()) {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() && /\.(md|txt)$/i.test(entry.name))
        files.push({ path, ...describe(folder, path) });
    }
  }
  return files.filter(({ size }) => size <= MAX_FILE_BYTES).slice(0, MAX_FILES);
}

function describe(folder: string, path: string): { modifiedMs: number; size: number } {
  const { mtimeMs, size } = statSync(join(folder, path));
  return { modifiedMs: Math.trunc(mtimeMs), size };
}
