import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'golden');

/** One pinned message by its path in `golden`, without the extension. */
export function readGolden(path: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, `${path}.json`), 'utf8'));
}

/** Names of the pinned messages of one kind, sorted. */
export function listGolden(kind: string): string[] {
  return readdirSync(join(FOLDER, kind))
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}
