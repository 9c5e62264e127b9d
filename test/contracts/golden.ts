import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RELEASED = join(import.meta.dirname, 'released');

/** Pinned messages: those of this version, or those that a release sent or wrote. */
export interface Golden {
  /** Names of one kind, sorted. */
  list(kind: string): string[];
  /** One by its path, without the extension. */
  read(path: string): unknown;
}

const golden = openGolden(join(import.meta.dirname, 'golden'));
export const listGolden = golden.list;
export const readGolden = golden.read;

/** What an example of docs/protocol.md has to be, by its `type` or its `request`; undefined for one of something else. */
export function pinnedExample({ type, request }: { type?: string; request?: string }): unknown {
  if (request !== undefined)
    return { request, payload: readGolden(`requests/${request}`), answer: readGolden(`answers/${request}`) };
  return type !== undefined && listGolden('events').includes(type) ? readGolden(`events/${type}`) : undefined;
}

/** By the versions whose messages every later one must read: a rolling upgrade has processes of both. */
export function listReleases(): [version: string, golden: Golden][] {
  return readdirSync(RELEASED)
    .sort()
    .map((version) => [version, openGolden(join(RELEASED, version))]);
}

function openGolden(folder: string): Golden {
  return {
    list: (kind) =>
      readdirSync(join(folder, kind))
        .map((file) => file.replace(/\.json$/, ''))
        .sort(),
    read: (path) => JSON.parse(readFileSync(join(folder, `${path}.json`), 'utf8')) as unknown,
  };
}
