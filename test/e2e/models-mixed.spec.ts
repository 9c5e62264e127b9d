import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { startProcess, type SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { endsOf, statusAndText } from './models-chat.js';
import { gate, ScriptedProvider } from './scripted-provider.js';
import { newFolder, removeFolders } from './standalone-process.js';
import { Viewer } from './viewer.js';

const sum = (n: number) =>
  ['toolu_1', 'math__add', { a: n, b: n }] as [string, string, { a: number; b: number }];

/** Everything that can happen to a turn, one after the other: the replies to its requests, and how it ends. */
const turns: [content: string, replies: Parameters<ScriptedProvider['answer']>, status: string][] = [
  ['plain', [say('Plain.')], 'completed'],
  ['tools', [useTools(sum(1), sum(2)), useTools(sum(3)), say('6')], 'completed'],
  ['unknown tool', [useTools(['toolu_1', 'no such', {}]), say('Sorry.')], 'completed'],
  ['refused', [{ content: [{ type: 'text', chunks: ['I'] }], stopReason: 'refusal' }], 'failed'],
  ['refused without text', [{ content: [], stopReason: 'refusal' }], 'failed'],
  ['failed', [{ status: 400 }], 'failed'],
  ['failed after a tool', [useTools(sum(4)), { status: 400 }], 'failed'],
  ['empty', [{ content: [] }], 'completed'],
  ['empty after a tool', [useTools(sum(5)), { content: [] }], 'completed'],
  [
    'cut off',
    [
      {
        content: [
          { type: 'text', chunks: ['Let me see. '] },
          { type: 'tool_use', id: 'toolu_1', name: 'math__add', json: '{"a' },
        ],
        stopReason: 'max_tokens',
      },
      say('No.'),
    ],
    'completed',
  ],
  ['too long', [{ status: 400, message: 'prompt is too long: 2 tokens > 1 maximum' }], 'failed'],
  ['restarted', [{ content: [{ type: 'text', chunks: ['On'] }], breakOff: 'cut' }, say('One.')], 'completed'],
  [
    'thinking',
    [
      {
        content: [
          { type: 'thinking', chunks: ['hm'], signature: 'signed' },
          { type: 'redacted_thinking', data: 'secret' },
          ...useTools(sum(6)).content,
        ],
      },
      say('12'),
    ],
    'completed',
  ],
];

describe('one conversation with everything in it', () => {
  let provider: ScriptedProvider;
  let standalone: SwitchyardProcess;
  let viewer: Viewer;
  let env: Record<string, string>;
  let conversation_id: string | undefined;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    env = { ...provider.env, DATA_DIR: await newFolder() };
    standalone = await startProcess('standalone', env);
    viewer = await Viewer.connect(standalone.url);
  }, 60_000);
  afterAll(async () => {
    viewer.close();
    await standalone.kill('SIGTERM');
    await provider.close();
    await removeFolders();
  });

  async function send(content: string, ...replies: Parameters<ScriptedProvider['answer']>): Promise<string> {
    provider.answer(...replies);
    const sent = await viewer.send(content, conversation_id === undefined ? {} : { conversation_id });
    conversation_id = sent.conversation_id;
    return sent.turn_id;
  }

  async function ended(...message: Parameters<typeof send>) {
    const turnId = await send(...message);
    return viewer.ended(conversation_id!, turnId);
  }

  test.each(turns)('a turn that is %s', async (content, replies, status) => {
    const turn = await ended(content, ...replies);
    expect(turn.status).toBe(status);
    expect(provider.violations).toEqual([]);
    expect(provider.unused).toBe(0);
  });

  test('a turn that is stopped', async () => {
    const { until } = gate();
    const turnId = await send('stopped', useTools(sum(7)), {
      content: [
        { type: 'text', chunks: ['So '] },
        { type: 'hold', until },
      ],
    });
    await waitFor(() => viewer.turn(conversation_id!, turnId)?.steps[1]?.text === 'So ', {
      what: 'the text',
    });
    await viewer.request('stop', { turn_id: turnId });
    expect((await viewer.ended(conversation_id!, turnId)).status).toBe('cancelled');
  });

  test('is sent to the model after a restart as before', async () => {
    const before = await ended('before', say('Before.'));
    expect(statusAndText(before)).toEqual(['completed', 'Before.']);
    const told = provider.lastMessages;
    const shown = viewer.view(conversation_id!);
    viewer.close();
    await standalone.kill('SIGTERM');
    standalone = await startProcess('standalone', env);
    viewer = await Viewer.connect(standalone.url);
    await viewer.request('join', { conversation_id });
    await waitFor(() => viewer.view(conversation_id!).turns.length > 0, { what: 'the snapshot' });
    expect(viewer.view(conversation_id!)).toEqual(shown);
    const after = await ended('after', say('After.'));
    expect(statusAndText(after)).toEqual(['completed', 'After.']);
    expect(provider.lastMessages.slice(0, told.length)).toEqual(told);
    expect(provider.violations).toEqual([]);
  });

  test('shows every turn as it ended', () => {
    const { turns: seen } = viewer.view(conversation_id!);
    expect(seen.map((turn) => [turn.content, turn.status])).toEqual([
      ...turns.map(([content, , status]) => [content, status]),
      ['stopped', 'cancelled'],
      ['before', 'completed'],
      ['after', 'completed'],
    ]);
    expect(seen.flatMap(endsOf).filter(([state]) => state === 'succeeded')).toHaveLength(7);
  });
});
