import { describe, expect, it } from '@jest/globals';
import { artifactSchema } from '#contracts';
import { describeBytes, makeArtifact, MAX_ARTIFACT_BYTES, referenceTo } from './make-artifact.js';
import { ToolError } from './tool.port.js';
import { PNG } from './testing/pictures.js';

const AT = '2026-03-01T10:00:00.000Z';
const PLACE = { user_id: 'ann', conversation_id: 'conv_1', turn_id: 'turn_1', tool_call_id: 'call_1' };
const make = (content: string | Uint8Array, contentType: string, name?: string, place = PLACE) =>
  makeArtifact(place, { content, contentType, name }, AT);

describe('makeArtifact', () => {
  it('gives equal outputs of a conversation the same id, and other outputs another', () => {
    const { _id } = make('same', 'text/plain');
    expect(_id).toMatch(/^art_[0-9a-f]{32}$/);
    expect(make('same', 'text/plain', 'a.txt', { ...PLACE, tool_call_id: 'call_2' })._id).toBe(_id);
    expect(make('same', 'text/plain', undefined, { ...PLACE, conversation_id: 'conv_2' })._id).not.toBe(_id);
    expect(make('other', 'text/plain')._id).not.toBe(_id);
    expect(make('same', 'application/json')._id).not.toBe(_id);
  });

  it('returns a row that names its size, hash and bytes', () => {
    const row = make('ä', 'Text/Plain; charset=utf-8', '/tmp/../etc/.pass<wd>\u202e.txt');
    expect(artifactSchema.parse(row)).toEqual(row);
    expect(row).toMatchObject({
      size: 2,
      content: 'w6Q=',
      content_type: 'text/plain',
      name: 'pass_wd_ .txt',
    });
    expect(referenceTo(row)).toEqual({
      id: row._id,
      content_type: 'text/plain',
      size: 2,
      name: 'pass_wd_ .txt',
    });
  });

  it.each([
    ['image/png', PNG, 'image/png'],
    ['image/jpeg', PNG, 'image/png'],
    ['nonsense', PNG, 'image/png'],
    ['image/png', Buffer.from('<script>'), 'application/octet-stream'],
    ['image/svg+xml', Buffer.from('<svg/>'), 'image/svg+xml'],
    ['audio/wav', Buffer.from('RIFF'), 'audio/wav'],
    ['text/html\r\nX-Evil: 1', Buffer.from('x'), 'application/octet-stream'],
  ])('of %s keeps the type that its bytes have', (claimed, content, kept) => {
    expect(make(content, claimed).content_type).toBe(kept);
  });

  it('accepts 8 MiB and not a byte more', () => {
    expect(make(Buffer.alloc(MAX_ARTIFACT_BYTES), 'audio/wav').size).toBe(MAX_ARTIFACT_BYTES);
    expect(() => make(Buffer.alloc(MAX_ARTIFACT_BYTES + 1), 'audio/wav')).toThrow(ToolError);
  });
});

describe('describeBytes', () => {
  it('formats a size with a unit', () => {
    expect([999, 12_345, 8_388_608].map(describeBytes)).toEqual(['999 B', '12 kB', '8.4 MB']);
  });
});
