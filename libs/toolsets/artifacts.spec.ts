import { describe, expect, it, jest } from '@jest/globals';
import { Matcher } from 're2js';
import { plainText, type Artifact } from '#contracts';
import { SystemClock } from '#time';
import { makeArtifact, ToolError } from '#tools';
import { PNG } from '../tools/testing/index.js';
import { toolContext } from './testing/tool-context.js';
import { createArtifactsToolset } from './artifacts.js';

const PLACE = { user_id: 'u', conversation_id: 'conversation-1', turn_id: 't', tool_call_id: 'c' };
const kept = new Map<string, Artifact>();
const [read, search] = createArtifactsToolset(
  { getArtifact: async (id) => kept.get(id) ?? null },
  new SystemClock(),
).tools();

function keep(content: string | Uint8Array, contentType = 'text/plain'): string {
  const artifact = makeArtifact(PLACE, { content, contentType }, '2026-03-01T10:00:00.000Z');
  kept.set(artifact._id, artifact);
  return artifact._id;
}

const run = async (tool: typeof read, args: Record<string, unknown>, context = toolContext()) =>
  plainText(await tool!.run(args, context));

async function failure(tool: typeof read, args: Record<string, unknown>, context = toolContext()) {
  const error: unknown = await run(tool, args, context).catch((reason: unknown) => reason);
  if (!(error instanceof ToolError)) throw new Error(`no ToolError: ${String(error)}`);
  return error.detail;
}

describe('artifacts.read', () => {
  it('reads a whole text in parts that join exactly, for any characters', async () => {
    const text = 'a€😀\n'.repeat(300);
    const id = keep(text);
    let read_ = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const part: string = await run(read, { id, offset, length: 7 });
      const note = /\n\[bytes (\d+) to (\d+) of 2700; (?:continue with offset (\d+)|this is the end)]$/.exec(
        part,
      );
      expect(note).not.toBeNull();
      read_ += part.slice(0, note!.index);
      offset = note![3] === undefined ? undefined : Number(note![3]);
    }
    expect(read_).toBe(text);
  });

  it('starts at the character that contains the offset, and ends at the end of the text', async () => {
    const id = keep('a😀b');
    expect(await run(read, { id, offset: 3, length: 2 })).toBe(
      '😀\n[bytes 1 to 5 of 6; continue with offset 5]',
    );
    expect(await run(read, { id, offset: 99 })).toBe('\n[bytes 6 to 6 of 6; this is the end]');
  });

  it('gives the same answer for a missing artifact and one of another conversation', async () => {
    const id = keep('secret');
    const foreign = await failure(read, { id }, toolContext({ conversationId: 'conversation-2' }));
    expect(foreign.error_type).toBe('ResourceNotFound');
    const missing = await failure(read, { id: 'art_0' });
    expect(missing.error_message.replace('art_0', id)).toBe(foreign.error_message);
    expect((await failure(search, { id: '{"$ne":1}', pattern: 'x' })).error_type).toBe('ResourceNotFound');
  });

  it('describes a picture', async () => {
    const { error_message } = await failure(read, { id: keep(PNG, 'image/png') });
    expect(error_message).toContain('image/png, which has no text');
  });
});

describe('artifacts.search', () => {
  it('finds matches with readable offsets', async () => {
    const text = `${'€'.repeat(200)}\nneedle one\n${'x'.repeat(30_000)}Needle two${'y'.repeat(30_000)}`;
    const id = keep(text);
    const found = await run(search, { id, pattern: '(?i)NEEDLE \\w+' });
    const offsets = [...found.matchAll(/^offset (\d+): /gm)].map(([, offset]) => Number(offset));
    expect(found).toContain('[all 2 matches in');
    const words = await Promise.all(offsets.map((offset) => run(read, { id, offset, length: 10 })));
    expect(words.map((part) => part.split('\n')[0])).toEqual(['needle one', 'Needle two']);
    expect(await run(search, { id, pattern: 'nothing here' })).toMatch(/^No match in \d+ bytes\.$/);
  });

  it('shows no more than the model can receive, and says so', async () => {
    const found = await run(search, { id: keep('😀 hit\n'.repeat(5_000)), pattern: 'hit' });
    expect(found).toContain('[the first 50 matches; a narrower pattern finds fewer]');
    const wide = await run(search, { id: keep(`${'€'.repeat(400)}\n`.repeat(500)), pattern: '€{3}' });
    expect(Buffer.byteLength(wide)).toBeLessThan(25_000);
  });

  it('takes time linear in the text, yields, and stops on request', async () => {
    const id = keep('a'.repeat(2 * 1024 * 1024));
    let turns = 0;
    const counting = new SystemClock().every(1, () => turns++);
    expect(await run(search, { id, pattern: '(a+)+[^a]$' })).toMatch(/^No match/);
    counting.cancel();
    expect(turns).toBeGreaterThan(2);
    const stop = new AbortController();
    const searching = run(search, { id, pattern: '(a+)+[^a]$' }, toolContext({ signal: stop.signal }));
    stop.abort(new Error('stopped'));
    await expect(searching).rejects.toThrow('stopped');
  });

  it('does not search the shown text for more matches, each of which would scan the rest', async () => {
    const id = keep('a'.repeat(1024 * 1024));
    const find = jest.spyOn(Matcher.prototype, 'find');
    const found = await run(search, { id, pattern: 'a.*b|a' });
    expect(found).toContain('the first 50 matches');
    const offsets = [...found.matchAll(/^offset (\d+): /gm)].map(([, offset]) => Number(offset));
    expect(offsets).toEqual(Array.from({ length: 50 }, (_, i) => i * 140));
    // The last one finds out that there are more.
    expect(find).toHaveBeenCalledTimes(51);
    find.mockRestore();
  });

  it.each([
    '(',
    '(?=a)',
    '\\1',
    '(a{1000}){1000}',
    // Linear, too, but in a program so large that nobody else would get to run.
    'a{0,1000}'.repeat(20),
    `(${'abc'.repeat(60)}){1000}`,
    '((a{1,30}[bc]{1,3}){1,10}){1,10}',
  ])('refuses the pattern %s', async (pattern) => {
    expect(await failure(search, { id: keep('a'), pattern })).toMatchObject({
      error_type: 'ValidationError',
      error_details: { parameter: 'pattern', provided_value: pattern },
    });
  });
});
