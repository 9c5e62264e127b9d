import { expect, it } from '@jest/globals';
import type { ArtifactReference, Call, Outcome, Step } from '#contracts';
import { turnAnswer } from './turn-answer.js';

const ids = ['A', 'B', 'C'].map((letter) => `call_${letter.repeat(22)}`);
const step = (calls: string[], text = ''): Step =>
  ({
    calls: calls.map((tool_call_id) => ({ tool_call_id }) as Call),
    blocks: [{ type: 'text', text }],
  }) as Step;
const outcome = (_id: string, more: Partial<Outcome>): Outcome =>
  ({ _id, status: 'success', data: null, ...more }) as Outcome;
const reference = (id: string, content_type: string, more: object = {}): ArtifactReference => ({
  id,
  content_type,
  size: 1,
  ...more,
});

it('artifacts of calls follow the order of the calls, not of their ends; failed calls contribute none', async () => {
  const outcomes = [
    outcome(ids[2]!, { status: 'failure', data: { n: 3 } }),
    outcome(ids[1]!, { data: { n: 2 } }),
    outcome(ids[0]!, { data: { n: 1 } }),
  ];
  const steps = [step([ids[0]!, ids[1]!]), step([ids[2]!]), step([], 'Done.')];
  const { blocks, yields } = await turnAnswer({ steps, outcomes }, () =>
    Promise.reject(new Error('not asked')),
  );
  expect(blocks).toEqual([{ type: 'text', text: 'Done.' }]);
  expect(yields).toEqual([
    { data: { n: 1 }, images: [] },
    { data: { n: 2 }, images: [] },
  ]);
});

it('cut results are read in full, and images are sent as images', async () => {
  const artifacts = [
    reference('whole', 'application/json', { whole: true }),
    reference('picture', 'image/png', { name: 'plot.png' }),
    reference('sound', 'audio/wav'),
  ];
  const contents: Record<string, string> = {
    whole: Buffer.from('{"all":true}').toString('base64'),
    picture: 'AAAA',
  };
  const outcomes = [outcome(ids[0]!, { data: { text: 'cut' }, artifacts })];
  const read = (id: string) => Promise.resolve(contents[id]!);
  const { yields } = await turnAnswer({ steps: [step([ids[0]!])], outcomes }, read);
  expect(yields).toEqual([
    { data: { all: true }, images: [{ type: 'image/png', title: 'plot.png', base64: 'AAAA' }] },
  ]);
});

it('an answer contains at most 32 MiB of artifacts', async () => {
  const MEGABYTE = 1024 * 1024;
  const outcomes = ids.map((id, i) => {
    const picture = reference(`picture-${i}`, 'image/png', { size: 14 * MEGABYTE });
    const whole = reference('whole', 'application/json', { whole: true, size: 9 * MEGABYTE });
    return outcome(id, { data: { text: 'cut' }, artifacts: [picture, whole] });
  });
  const asked: string[] = [];
  const read = (id: string) => Promise.resolve((asked.push(id), Buffer.from('{}').toString('base64')));
  const { yields } = await turnAnswer({ steps: [step(ids)], outcomes }, read);
  expect(asked).toEqual(['picture-0', 'whole', 'whole']);
  expect(yields.map(({ data, images }) => [data, images.length])).toEqual([
    [{}, 1],
    [{}, 0],
    [{ text: 'cut' }, 0],
  ]);
});
