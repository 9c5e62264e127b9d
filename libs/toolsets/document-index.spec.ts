import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SystemClock } from '#time';
import { DocumentIndex } from './document-index.js';

let folder: string;
let index: DocumentIndex;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-docs-'));
  index = new DocumentIndex(folder, ':memory:', new SystemClock());
});
afterEach(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const search = async (query: string) => {
  await index.update();
  return index.search(query);
};
const sources = async (query: string) => (await search(query)).map(({ source }) => source);

describe('DocumentIndex', () => {
  it('finds words in any form, best document first', async () => {
    write('a.md', '# Deploying\n\nDeployments run on Kubernetes clusters.');
    write('b.txt', 'A cluster of grapes.');
    expect(await sources('How do I deploy to a kubernetes cluster?')).toEqual(['a.md', 'b.txt']);
    const [first, second] = await search('deploy kubernetes cluster');
    expect(first!.relevance).toBeGreaterThan(second!.relevance);
    expect(first!.relevance).toBeLessThanOrEqual(100);
    expect(first!.content).toBe('Deployments run on Kubernetes clusters.');
  });

  it('finds a document by its name', async () => {
    write('vacation-policy.md', 'Thirty days.');
    expect(await sources('vacation policy')).toEqual(['vacation-policy.md']);
  });

  it('applies new, changed and removed files at the next update, and never reads the folder in a search', async () => {
    write('a.md', 'apples');
    expect(index.search('apples')).toEqual([]);
    expect(await sources('apples')).toEqual(['a.md']);
    mkdirSync(join(folder, 'sub'));
    write('sub/b.md', 'bananas');
    write('a.md', 'cherries are red');
    expect([await sources('apples'), await sources('bananas'), await sources('cherries')]).toEqual([
      [],
      ['sub/b.md'],
      ['a.md'],
    ]);
    rmSync(folder, { recursive: true });
    expect(index.search('cherries')).toHaveLength(1);
    mkdirSync(folder);
    expect(await sources('cherries')).toEqual([]);
  });

  it('does not index a file again when only its time changed', async () => {
    write('a.md', 'apples');
    expect(await sources('apples')).toEqual(['a.md']);
    utimesSync(join(folder, 'a.md'), new Date(0), new Date(0));
    expect(await sources('apples')).toEqual(['a.md']);
  });

  it('leaves out hidden files, other types, links and files that are too large', async () => {
    write('.hidden.md', 'apples');
    write('a.json', 'apples');
    write('large.md', 'apples '.repeat(400_000));
    symlinkSync('/etc/passwd', join(folder, 'link.txt'));
    expect(await sources('apples root')).toEqual([]);
  });

  it('answers while it indexes a large change', async () => {
    write('old.md', 'apples');
    await index.update();
    for (let n = 0; n < 400; n++) write(`new${n}.md`, 'bananas');
    let isDone = false;
    const updating = index.update().then(() => (isDone = true));
    let partly = 0;
    while (!isDone && partly === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(index.search('apples')).toHaveLength(1);
      partly = index.search('bananas').length;
    }
    expect([isDone, partly]).toEqual([false, 5]);
    await updating;
  });

  it('gives at most five hits of at most 300 characters on one line', async () => {
    for (let n = 0; n < 8; n++) write(`${n}.md`, `apples\n${'pears '.repeat(100)}`);
    const hits = await search('apples');
    expect(hits).toHaveLength(5);
    for (const { content } of hits) expect(content).toMatch(/^apples pears .{1,288}\.\.\.$/);
  });

  it('shows the matching part of a long passage', async () => {
    write('a.md', `${'filler '.repeat(100)}needle in it.`);
    expect((await search('needle'))[0]?.content).toContain('needle');
  });

  it('accepts any text as a query', async () => {
    write('a.md', 'NEAR AND OR NOT "quoted" column:value (x) * ^ -');
    await index.update();
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^["*^():{}+\-' a-z]*$/)),
        (query) => {
          expect(() => index.search(query)).not.toThrow();
        },
      ),
    );
    expect(await sources('NOT "quoted" AND (column:value)')).toEqual(['a.md']);
    expect(await sources('"*^')).toEqual([]);
  });

  it('keeps a stored index, and rebuilds a damaged one', async () => {
    write('a.md', 'apples');
    const file = join(folder, 'data', 'knowledge.db');
    const searchStored = async () => {
      const stored = new DocumentIndex(folder, file, new SystemClock());
      await stored.update();
      const found = stored.search('apples').length;
      stored.close();
      return found;
    };
    expect([await searchStored(), await searchStored()]).toEqual([1, 1]);
    rmSync(`${file}-wal`, { force: true });
    writeFileSync(file, 'this is not a database, and long enough to be recognised as none');
    appendFileSync(file, 'x'.repeat(8192));
    expect(await searchStored()).toBe(1);
  });
});
