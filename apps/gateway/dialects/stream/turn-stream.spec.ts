import { describe, expect, it } from '@jest/globals';
import type { CallView, StepView, TurnView, View } from '#contracts';
import type { ServerEvent } from '../../feeds/viewer.js';
import { TurnStream, type TurnNews } from './turn-stream.js';

const at = '2026-01-01T00:00:00.000Z';
const fields = { conversation_id: 'conv_1', turn_id: 'turn_1', timestamp: at };

function streamOf(
  readCall: (step: number, id: string) => Promise<Pick<CallView, 'args' | 'result'>> = () =>
    Promise.reject(new Error('not asked')),
  readTurn: () => Promise<TurnView> = () => Promise.reject(new Error('not asked')),
) {
  const closed: string[] = [];
  const onClose = () => void closed.push('closed');
  const stream = new TurnStream('turn_1', { readTurn, readCall, onClose });
  return { stream, closed };
}

function snapshot(steps: StepView[], status: TurnView['status'] = 'running'): ServerEvent {
  const named = { turn_id: 'turn_1', number: 1, content: 'hello', by: 'ann', client_message_id: 'm1' };
  const turn = { ...named, status, at, started_at: at, steps };
  const view = { conversation_id: 'conv_1', title: '', earlier: false, turns: [turn] };
  return { type: 'snapshot', conversation_id: 'conv_1', timestamp: at, view };
}

function token(content: string, offset: number, turn_id = 'turn_1'): ServerEvent {
  return { type: 'token', ...fields, turn_id, step: 1, attempt: 100, content, offset };
}

async function read(stream: TurnStream): Promise<TurnNews[]> {
  const all: TurnNews[] = [];
  for await (const news of stream) all.push(news);
  return all;
}

const STEP: StepView = { n: 1, attempt: 100, text: '', calls: [] };

describe('TurnStream', () => {
  it('merges waiting events, ignores other turns, and ends with the turn', async () => {
    const { stream, closed } = streamOf();
    stream.send(snapshot([STEP]));
    for (const [i, letter] of [...'Hello'].entries()) stream.send(token(letter, i));
    stream.send(token('no', 0, 'turn_2'));
    stream.send(snapshot([{ ...STEP, text: 'Hello', committed: true }], 'completed'));
    const types = (await read(stream)).map((news) => (news.type === 'text' ? news.text : news.type));
    expect(types).toEqual(['turn_started', 'step_started', 'Hello', 'step_committed', 'turn_ended']);
    expect(closed).toEqual(['closed']);
  });

  it('yields a text once, despite overlapping pieces and snapshots', async () => {
    const { stream } = streamOf();
    stream.send(snapshot([STEP]));
    const reading = read(stream);
    stream.send(token('Hello', 0));
    stream.send(token('llo the', 2));
    stream.send(token('the', 6));
    stream.send(snapshot([{ ...STEP, text: 'Hello there, ' }]));
    stream.send(token('you.', 13));
    stream.send(snapshot([{ ...STEP, text: 'Hello there, you.', committed: true }], 'completed'));
    const texts = (await reading).flatMap((news) => (news.type === 'text' ? [news.text] : []));
    expect(texts.join('')).toBe('Hello there, you.');
    expect((await reading).map(({ type }) => type)).not.toContain('step_restarted');
  });

  it('is behind while too much waits, and reports when it has caught up', async () => {
    const { stream } = streamOf();
    stream.send(snapshot([STEP]));
    const long = 'x'.repeat(300_000);
    stream.send(token(long, 0));
    expect(stream.isBehind()).toBe(true);
    stream.onceDrained(() => {
      expect(stream.isBehind()).toBe(false);
      stream.send(snapshot([{ ...STEP, text: `${long}y`, committed: true }], 'completed'));
    });
    const texts = (await read(stream)).flatMap((news) => (news.type === 'text' ? [news.text] : []));
    expect(texts.join('')).toBe(`${long}y`);
  });

  it('reads from the journal what a view has cut', async () => {
    const tool_call_id = 'call_A000000000000000000000';
    const names = { tool_name: 'math.add', display_name: 'add', source: 'local' as const, toolset: 'math' };
    const call: CallView = {
      tool_call_id,
      ...names,
      state: 'succeeded',
      attempt: 1,
      args: {},
      truncated: true,
    };
    const { stream } = streamOf((...asked) => Promise.resolve({ args: { asked }, result: 'whole' }));
    stream.send(snapshot([{ ...STEP, committed: true, calls: [{ ...call, result: 'wh' }] }], 'completed'));
    const whole = { ...call, args: { asked: [1, tool_call_id] }, result: 'whole' };
    const all = await read(stream);
    expect(all.filter((news) => news.type === 'call_ended')).toEqual([
      { type: 'call_ended', step: 1, call: whole },
    ]);
    const [committed] = all.filter((news) => news.type === 'step_committed');
    expect(committed!.step.calls).toEqual([whole]);
  });

  it('ends when its reader leaves, and reports when the process stops', async () => {
    const gone = streamOf();
    gone.stream.send(snapshot([STEP]));
    const reading = read(gone.stream);
    gone.stream.close();
    expect((await reading).length).toBeLessThanOrEqual(2);
    const stopping = streamOf();
    stopping.stream.stop();
    expect(await read(stopping.stream)).toEqual([{ type: 'gateway_stopping' }]);
  });

  it.each(['turn_1', 'turn_2'])(
    'ends as cancelled when its conversation is deleted with %s',
    async (turn_id) => {
      const { stream } = streamOf();
      stream.send(snapshot([STEP]));
      const message = 'The conversation was deleted.';
      stream.send({ type: 'cancelled', ...fields, turn_id, message, deleted: true });
      expect((await read(stream)).at(-1)).toMatchObject({
        type: 'turn_ended',
        turn: { status: 'cancelled' },
      });
    },
  );

  it('ends as cancelled when its conversation is deleted before any event of the turn', async () => {
    const { stream } = streamOf();
    const message = 'The conversation was deleted.';
    stream.send({ type: 'cancelled', ...fields, turn_id: 'turn_2', message, deleted: true });
    const turn = { turn_id: 'turn_1', status: 'cancelled', steps: [] };
    expect(await read(stream)).toMatchObject([{ type: 'turn_ended', turn }]);
  });

  describe('of a turn that no snapshot contains', () => {
    const without: ServerEvent = {
      type: 'snapshot',
      conversation_id: 'conv_1',
      timestamp: at,
      view: { conversation_id: 'conv_1', title: '', earlier: true, turns: [] },
    };
    const readAs = (status: TurnView['status']) => {
      const { view } = snapshot([{ ...STEP, text: 'Hello', committed: true }], status) as { view: View };
      return () => Promise.resolve(view.turns[0]!);
    };

    it('reads the turn from the journal once it has ended', async () => {
      const { stream } = streamOf(undefined, readAs('completed'));
      stream.send(without);
      expect((await read(stream)).at(-1)).toMatchObject({ type: 'turn_ended', turn: { turn_id: 'turn_1' } });
    });

    it('waits while the turn has not ended', async () => {
      const { stream } = streamOf(undefined, readAs('queued'));
      stream.send(without);
      stream.send(snapshot([{ ...STEP, text: 'Hello', committed: true }], 'completed'));
      expect((await read(stream)).at(-1)).toMatchObject({ type: 'turn_ended' });
    });

    it('breaks off when the turn cannot be read', async () => {
      const { stream, closed } = streamOf();
      const reading = read(stream);
      stream.send(without);
      await expect(reading).rejects.toThrow('not asked');
      expect(closed).toEqual(['closed']);
    });
  });
});
