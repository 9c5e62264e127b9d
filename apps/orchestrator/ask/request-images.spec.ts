import { describe, expect, it } from '@jest/globals';
import type { Artifact } from '#contracts';
import type { ModelMessage } from '#llm';
import { makeArtifact } from '#tools';
import { RequestImages, type ImageLimits } from './request-images.js';

const CONVERSATION = 'conv_1';
/** A PNG as far as its header says. */
function pngOf(width: number, height: number): Buffer {
  const header = Buffer.alloc(24);
  header.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

const kept = new Map<string, Artifact>();
const reads: string[] = [];

function keep(width: number, height = 10, conversation_id = CONVERSATION): Artifact {
  const place = { user_id: 'ann', conversation_id, turn_id: 't', tool_call_id: 'c' };
  const attachment = { content: pngOf(width, height), contentType: 'image/png' };
  const artifact = makeArtifact(place, attachment, '2026-03-01T10:00:00.000Z');
  kept.set(artifact._id, artifact);
  return artifact;
}

function showing(...artifacts: Artifact[]): ModelMessage {
  const images = artifacts.map(({ _id: artifact_id, content_type, size }) => ({
    artifact_id,
    content_type,
    size,
  }));
  return {
    role: 'user',
    content: [{ type: 'tool_result', tool_call_id: 'c', text: '', is_error: false, images }],
  };
}

function create(limits: Partial<ImageLimits> = {}): RequestImages {
  reads.length = 0;
  const getArtifact = async (id: string) => (reads.push(id), kept.get(id) ?? null);
  return new RequestImages({ getArtifact }, limits);
}

const idsOf = async (images: RequestImages, ...messages: ModelMessage[]) => [
  ...((await images.load(CONVERSATION, messages)) ?? new Map<string, never>()).keys(),
];

describe('images of a request', () => {
  const [one, two, three] = [keep(1), keep(2), keep(3)];
  const bytes = one.size;

  it('are loaded once and kept for the next request', async () => {
    const images = create();
    const loaded = await images.load(CONVERSATION, [showing(one)]);
    expect(loaded!.get(one._id)).toEqual({ content_type: 'image/png', data: one.content });
    await images.load(CONVERSATION, [showing(one), showing(two)]);
    expect(reads).toEqual([one._id, two._id]);
  });

  it('cost nothing when there are none', () => {
    expect(create().load(CONVERSATION, [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])).toBe(
      undefined,
    );
  });

  it('are the newest ones that fit, counted each time they are shown', async () => {
    const messages = [showing(one), showing(two, three)];
    expect(await idsOf(create({ images: 3 }), ...messages)).toEqual([one._id, two._id, three._id]);
    expect(await idsOf(create({ images: 2 }), ...messages)).toEqual([three._id]);
    expect(await idsOf(create({ requestBytes: bytes }), ...messages)).toEqual([three._id]);
    expect(await idsOf(create({ images: 2 }), showing(three), ...messages)).toEqual([three._id]);
    expect(await idsOf(create({ images: 1 }), showing(three, three))).toEqual([]);
    expect(await idsOf(create({ imageBytes: bytes - 1 }), ...messages)).toEqual([]);
  });

  it('are dropped by halves, so that the preceding part stays the same for many requests', async () => {
    const many = Array.from({ length: 30 }, (_, i) => keep(100 + i));
    const images = create({ images: 10 });
    const shown: string[][] = [];
    for (let n = 1; n <= many.length; n++)
      shown.push(await idsOf(images, ...many.slice(0, n).map((one) => showing(one))));
    const first = shown.map(([id]) => many.findIndex(({ _id }) => _id === id));
    expect(first).toEqual([
      ...Array(10).fill(0),
      ...Array(6).fill(6),
      ...Array(6).fill(12),
      ...Array(6).fill(18),
      24,
      24,
    ]);
    expect(Math.max(...shown.map((ids) => ids.length))).toBe(10);
    expect(shown.every((ids, i) => ids.at(-1) === many[i]!._id)).toBe(true);
  });

  it('belong to this conversation also once another one has loaded them', async () => {
    const images = create();
    const theirs = keep(10, 10, 'conv_2');
    expect((await images.load('conv_2', [showing(theirs)]))?.size).toBe(1);
    expect((await images.load(CONVERSATION, [showing(theirs)]))?.size).toBe(0);
  });

  it('belong to this conversation, exist, and are not too large', async () => {
    const wide = keep(8_001);
    const foreign = keep(4, 4, 'conv_2');
    const missing = { ...one, _id: 'art_missing' };
    expect(await idsOf(create(), showing(wide, foreign, missing, one))).toEqual([one._id]);
  });

  it('stay in memory only within the limit of the cache', async () => {
    const images = create({ cacheBytes: one.content.length * 2 });
    for (const shown of [one, two, one, three, one, two]) await images.load(CONVERSATION, [showing(shown)]);
    expect(reads).toEqual([one, two, three, two].map(({ _id }) => _id));
  });
});
