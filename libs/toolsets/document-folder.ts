import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILES = 50_000;
const MAX_FILE_BYTES = 2 * 1024 * 1024;
/** How many files are examined in parallel. */
const STATS_AT_ONCE = 64;

export interface DocumentFile {
  /** The path relative to the folder, with `/`. */
  path: string;
  modifiedMs: number;
  size: number;
}

/** The `.md` and `.txt` files below a folder; hidden ones, links and files over 2 MiB are left out. */
export async function listDocuments(folder: string): Promise<DocumentFile[]> {
  const paths = await listPaths(folder);
  const files: DocumentFile[] = [];
  for (let at = 0; at < paths.length; at += STATS_AT_ONCE) {
    const described = await Promise.all(
      paths.slice(at, at + STATS_AT_ONCE).map((path) => describe(folder, path)),
    );
    files.push(...described.filter((file) => isTaken(file)));
  }
  return files;
}

async function listPaths(folder: string): Promise<string[]> {
  const paths: string[] = [];
  const pending = [''];
  for (let below = pending.pop(); below !== undefined && paths.length < MAX_FILES; below = pending.pop()) {
    for (const entry of await readEntries(folder, below)) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() && /\.(md|txt)$/i.test(entry.name)) paths.push(path);
    }
  }
  return paths.slice(0, MAX_FILES);
}

/** Below the folder itself, entries that disappear or cannot be read during the listing are left out. */
async function readEntries(folder: string, below: string) {
  const reading = readdir(join(folder, below), { withFileTypes: true });
  return below === '' ? reading : reading.catch(() => []);
}

function isTaken(file: DocumentFile | undefined): file is DocumentFile {
  return file !== undefined && file.size <= MAX_FILE_BYTES;
}

async function describe(folder: string, path: string): Promise<DocumentFile | undefined> {
  const found = await stat(join(folder, path)).catch(() => undefined);
  return found && { path, modifiedMs: Math.trunc(found.mtimeMs), size: found.size };
}
