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
import { DocumentIndex } from './document-index.js';

let folder: string;
let index: DocumentIndex;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-docs-'));
  index = new DocumentIndex(folder, ':memory:');
});
afterEach(() => {
  index.close();
  rmSync(folder, { recursive: true });
});

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const sources = (query: string) => index.search(query).map(({ source }) => source);

describe('DocumentIndex', () => {
  it('finds words in any form, best document first', () => {
    write('a.md', '# Deploying\n\nDeployments run on Kubernetes clusters.');
    write('b.txt', 'A cluster of grapes.');
    expect(sources('How do I deploy to a kubernetes cluster?')).toEqual(['a.md', 'b.txt']);
    const [first, second] = index.search('deploy kubernetes cluster');
    expect(first!.relevance).toBeGreaterThan(second!.relevance);
    expect(first!.relevance).toBeLessThanOrEqual(100);
    expect(first!.content).toBe('Deployments run on Kubernetes clusters.');
  });

  it('finds a document by its name', () => {
    write('vacation-policy.md', 'Thirty days.');
    expect(sources('vacation policy')).toEqual(['vacation-policy.md']);
  });

  it('takes over new, changed and removed files at the next search', () => {
    write('a.md', 'apples');
    expect(sources('apples')).toEqual(['a.md']);
    mkdirSync(join(folder, 'sub'));
    write('sub/b.md', 'bananas');
    write('a.md', 'cherries are red');
    expect([sources('apples'), sources('bananas'), sources('cherries')]).toEqual([
      [],
      ['sub/b.md'],
      ['a.md'],
    ]);
    rmSync(join(folder, 'a.md'));
    expect(sources('cherries')).toEqual([]);
  });

  it('does not index a file again that was only touched', () => {
    write('a.md', 'apples');
    expect(sources('apples')).toEqual(['a.md']);
    utimesSync(join(folder, 'a.md'), new Date(0), new Date(0));
    expect(sources('apples')).toEqual(['a.md']);
  });

  it('leaves out hidden files, other types, links and what is too large', () => {
    write('.hidden.md', 'apples');
    write('a.json', 'apples');
    write('large.md', 'apples '.repeat(400_000));
    symlinkSync('/etc/passwd', join(folder, 'link.txt'));
    expect(sources('apples root')).toEqual([]);
  });

  it('gives at most five hits of at most 300 characters on one line', () => {
    for (let n = 0; n < 8; n++) write(`${n}.md`, `apples\n${'pears '.repeat(100)}`);
    const hits = index.search('apples');
    expect(hits).toHaveLength(5);
    for (const { content } of hits) expect(content).toMatch(/^apples pears .{1,288}\.\.\.$/);
  });

  it('shows the part of a long passage that matches', () => {
    write('a.md', `${'filler '.repeat(100)}needle in it.`);
    expect(index.search('needle')[0]?.content).toContain('needle');
  });

  it('takes any text for a question', () => {
    write('a.md', 'NEAR AND OR NOT "quoted" column:value (x) * ^ -');
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^["*^():{}+\-' a-z]*$/)),
        (query) => {
          expect(() => index.search(query)).not.toThrow();
        },
      ),
    );
    expect(sources('NOT "quoted" AND (column:value)')).toEqual(['a.md']);
    expect(sources('"*^')).toEqual([]);
  });

  it('keeps a stored index, and builds a damaged one anew', () => {
    write('a.md', 'apples');
    const file = join(folder, 'data', 'knowledge.db');
    const searchStored = () => {
      const stored = new DocumentIndex(folder, file);
      const found = stored.search('apples').length;
      stored.close();
      return found;
    };
    expect([searchStored(), searchStored()]).toEqual([1, 1]);
    rmSync(`${file}-wal`, { force: true });
    writeFileSync(file, 'this is not a database, and long enough to be recognised as none');
    appendFileSync(file, 'x'.repeat(8192));
    expect(searchStored()).toBe(1);
  });
});
