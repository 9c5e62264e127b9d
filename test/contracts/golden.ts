import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'golden');

/** Versions whose messages every later one must read: a rolling upgrade has processes of both. */
export function listReleases(): string[] {
  return readdirSync(join(import.meta.dirname, 'released')).sort();
}

/** Every pinned message of one kind, as the release sent or wrote it. */
export function readReleased(version: string, kind: string): [file: string, content: unknown][] {
  const folder = join(import.meta.dirname, 'released', version, kind);
  return readdirSync(folder).map((file) => [
    file.replace(/\.json$/, ''),
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown,
  ]);
}

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
