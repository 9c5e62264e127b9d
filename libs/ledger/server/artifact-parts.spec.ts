import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Body } from '#contracts';
import { ArtifactParts } from './artifact-parts.js';

const CONTENT = Buffer.from('one, two, three');
const PARTS = [CONTENT.subarray(0, 5), CONTENT.subarray(5, 10), CONTENT.subarray(10)];

let parts: ArtifactParts;
beforeEach(() => {
  parts = new ArtifactParts(() => 0);
});

function add(part: number, change: Partial<Body<'ledger.artifact'>> = {}, about: object = {}) {
  const hash = createHash('sha256').update(CONTENT).digest('hex');
  const artifact = { _id: 'art_1', size: CONTENT.byteLength, hash, content_type: 'text/plain', ...about };
  const content = (PARTS[part] ?? Buffer.alloc(0)).toString('base64');
  const body = { worker: 'worker-lab--1', artifact, part, parts: PARTS.length, content, ...change };
  return parts.add(body as Body<'ledger.artifact'>);
}

describe('an artifact in parts', () => {
  it('is whole with its last part', () => {
    expect([add(0), add(1), add(2)]).toEqual([{ next: 1 }, { next: 2 }, { whole: CONTENT }]);
  });

  it('is asked for from where it is, when a part is repeated or one is missing', () => {
    add(0);
    expect([add(0), add(1), add(1), add(2)]).toEqual([
      { next: 1 },
      { next: 2 },
      { next: 2 },
      { whole: CONTENT },
    ]);
    add(0);
    expect(add(2)).toEqual({ next: 1 });
  });

  it('begins anew at another orchestrator, and with content that is not what its hash and size say', () => {
    expect(add(1)).toEqual({ next: 0 });
    add(0, {}, { hash: 'another' });
    add(1, {}, { hash: 'another' });
    expect(add(2, {}, { hash: 'another' })).toEqual({ next: 0 });
    expect(add(0, {}, { size: 3 })).toEqual({ next: 0 });
  });

  it('is apart from that of another worker with the same id', () => {
    add(0);
    expect(add(1, { worker: 'worker-lab--2' })).toEqual({ next: 0 });
  });
});
