import { beforeEach, describe, expect, it } from '@jest/globals';
import { plainText, type Artifact, type ToolCallBody } from '#contracts';
import { failure, success } from '#tools';
import type { WorkerCall } from '../port/call-ledger.port.js';
import { CallOutput } from './call-output.js';

const body = {
  tool_call_id: `call_${'0'.repeat(22)}`,
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  user_id: 'ann',
} as ToolCallBody;
const call = { body } as WorkerCall;
const picture = { content: Buffer.from('not one'), contentType: 'image/png' };

let kept: Artifact[];
let output: CallOutput;
const ledger = { putArtifact: async (_call: unknown, row: Artifact) => void kept.push(row) };
const ports = { ledger, clock: { wall: () => 0 } };
beforeEach(() => {
  kept = [];
  output = new CallOutput(ports, call);
});

describe('the output of a call', () => {
  it('is the result alone when it has no attachments', async () => {
    const result = success('short');
    expect(await output.bound(result)).toEqual(result);
    expect(kept).toEqual([]);
  });

  it('of 100 KiB is kept whole, with its id in data', async () => {
    const text = 'x'.repeat(100 * 1024);
    const { data, artifacts } = await output.bound(success(text));
    expect(kept).toHaveLength(1);
    expect(Buffer.from(kept[0]!.content, 'base64').toString()).toBe(text);
    expect(artifacts).toEqual([
      { id: kept[0]!._id, content_type: 'text/plain', size: text.length, name: 'output.txt', whole: true },
    ]);
    expect(data).toEqual({ text: expect.stringContaining(kept[0]!._id), artifacts: [kept[0]!._id] });
  });

  it('of 9 MiB is a failure and is not stored', async () => {
    const result = await output.bound(success('x'.repeat(9 * 1024 * 1024)));
    expect(result).toMatchObject({ status: 'failure', error: { error_type: 'ToolExecutionError' } });
    expect(kept).toEqual([]);
  });

  it('names each attachment once, and contains none of its bytes', async () => {
    const [one] = [await output.attach(picture), await output.attach({ ...picture, name: 'again.png' })];
    const result = await output.bound(success({ text: 'see', artifacts: ['theirs'] }));
    expect(result.artifacts).toHaveLength(1);
    expect(result.data).toEqual({ text: 'see', artifacts: ['theirs', one.id] });
    expect(JSON.stringify(result)).not.toContain(picture.content.toString('base64'));
    expect(plainText(result)).toBe('see');
  });

  it('is kept for a failure and for an empty result too', async () => {
    const { id } = await output.attach(picture);
    expect(await output.bound(failure('ToolExecutionError', 'no'))).toMatchObject({
      data: null,
      artifacts: [{ id }],
    });
    expect((await output.bound({ status: 'no_change_needed', data: null })).data).toEqual({
      text: '',
      artifacts: [id],
    });
  });

  it('has a limit of attachments', async () => {
    for (let n = 0; n < 32; n++) await output.attach({ content: `${n}`, contentType: 'text/plain' });
    await expect(output.attach(picture)).rejects.toThrow('more than 32');
  });

  it('enforces that limit when all are attached at once', async () => {
    const attachments = Array.from({ length: 40 }, (_, n) => ({
      content: `${n}`,
      contentType: 'text/plain',
    }));
    const ends = await Promise.allSettled(attachments.map((attachment) => output.attach(attachment)));
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(8);
    expect(kept).toHaveLength(32);
  });

  it('respects the budget that is configured for its tool', async () => {
    const small = new CallOutput(ports, call, 4_096);
    const result = await small.bound(success('x'.repeat(5_000)));
    expect(Buffer.byteLength(plainText(result))).toBeLessThan(4_096);
    expect(kept).toHaveLength(1);
  });
});
