import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import {
  FILES,
  type ClientRequest,
  type Complaint,
  type FreshView,
  type LifeEvent,
  type MemorySample,
  type Run,
  type Seen,
  type Start,
  type StoredConversation,
  type StoredDeadLetter,
} from '../evidence.js';

export interface Viewer {
  name: string;
  /** Everything it was sent; too much of it to be held for all viewers at once. */
  seen: AsyncIterable<Seen> | Iterable<Seen>;
}

/** All that the judge knows. */
export interface History {
  run: Run;
  starts: Start[];
  lives: LifeEvent[];
  requests: ClientRequest[];
  fresh: FreshView[];
  store: StoredConversation[];
  memory: MemorySample[];
  deadLetters: StoredDeadLetter[];
  complaints: Complaint[];
  viewers: Viewer[];
}

export function readHistory(folder: string): History {
  const lines = <T>(name: string) => readLines<T>(join(folder, name));
  const viewerFiles = readdirSync(folder).filter((name) => name.startsWith(FILES.viewerPrefix));
  return {
    run: JSON.parse(readFileSync(join(folder, FILES.run), 'utf8')) as Run,
    starts: lines<Start>(FILES.starts),
    lives: lines<LifeEvent>(FILES.lives),
    requests: lines<ClientRequest>(FILES.requests),
    fresh: lines<FreshView>(FILES.fresh),
    store: lines<StoredConversation>(FILES.store),
    memory: lines<MemorySample>(FILES.memory),
    deadLetters: lines<StoredDeadLetter>(FILES.deadLetters),
    complaints: lines<Complaint>(FILES.complaints),
    viewers: viewerFiles.sort().map((file) => ({
      name: file.slice(FILES.viewerPrefix.length).replace(/\.jsonl$/, ''),
      seen: streamLines<Seen>(join(folder, file)),
    })),
  };
}

function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

async function* streamLines<T>(path: string): AsyncIterable<T> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (line !== '') yield JSON.parse(line) as T;
  }
}
