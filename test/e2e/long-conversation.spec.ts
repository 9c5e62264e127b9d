import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnView } from '#contracts';
import { say } from '../fakes/messages-reply.js';
import { startStrictMessagesApi, type MessagesBody } from '../fakes/strict-messages-api.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { statusAndText } from './models-chat.js';
import { gate } from './scripted-provider.js';
import {
  newFolder,
  removeFolders,
  requestJson,
  startStandalone,
  writeSettings,
} from './standalone-process.js';
import { Viewer } from './viewer.js';

const STORY = 'and then it went on '.repeat(400);
const settings = (model: string) => ({ models: { [model]: { context_tokens: 16_000 } } });

afterAll(removeFolders);

describe('a conversation longer than the window of the demo model', () => {
  let standalone: SwitchyardProcess;
  let viewer: Viewer;
  let conversation_id: string | undefined;

  beforeAll(async () => {
    const CONFIG = await writeSettings('switchyard.json', settings('demo'));
    standalone = await startStandalone({ CONFIG });
    viewer = await Viewer.connect(standalone.url);
  }, 60_000);
  afterAll(async () => {
    viewer.close();
    await standalone.kill('SIGTERM');
  });

  async function ask(content: string): Promise<TurnView> {
    const sent = await viewer.send(content, conversation_id === undefined ? {} : { conversation_id });
    conversation_id = sent.conversation_id;
    return viewer.ended(sent.conversation_id, sent.turn_id);
  }

  test('continues with a summary that every viewer sees, and remembers', async () => {
    const [status] = statusAndText(await ask('My name is Ann.'));
    expect(status).toBe('completed');
    let turn = await ask(`Story 1: ${STORY}`);
    for (let i = 2; i < 30 && !turn.steps[0]?.summary; i++) turn = await ask(`Story ${i}: ${STORY}`);
    expect(turn.steps.map(({ n, text, summary }) => [n, text === '', summary !== undefined])).toEqual([
      [1, true, true],
      [2, false, false],
    ]);
    expect(turn.steps[0]!.summary).toMatch(/^The user said, in this order:\n- My name is Ann\./);
    expect(statusAndText(await ask('What did I say first?'))).toEqual([
      'completed',
      'You said “My name is Ann.”.',
    ]);
    const path = `${standalone.url}/api/conversations/${conversation_id}`;
    const { body: messages } = await requestJson<{ role: string; content: string }[]>(
      `${path}/messages?limit=500`,
    );
    expect(messages.some(({ content }) => content.includes('in this order'))).toBe(false);
    const { body: told } = await requestJson<{ role: string; content: string }[]>(
      `${path}/messages?limit=500&include=tools`,
    );
    expect(told.filter(({ role }) => role === 'summary')).toMatchObject([
      { content: turn.steps[0]!.summary, turn_number: turn.number, id: `${turn.turn_id}:1` },
    ]);
  }, 120_000);
});

describe('a process that is killed while it summarises the conversation', () => {
  test('continues after a restart: the summary exists once, and the next request begins with it', async () => {
    const { until, open } = gate();
    const summaries: MessagesBody[] = [];
    const api = await startStrictMessagesApi({
      script: (body) => {
        if (!JSON.stringify(body.system).includes('Write the summary')) return say('Fine.');
        const isFirst = summaries.push(body) === 1;
        return { ...say('They told stories.'), ...(isFirst ? { hold: until } : {}) };
      },
    });
    const CONFIG = await writeSettings('switchyard.json', settings('anthropic'));
    const env = {
      ...{
        MODEL: 'anthropic/claude-sonnet-5-5',
        ANTHROPIC_API_KEY: 'sk-ant-test',
        ANTHROPIC_BASE_URL: api.url,
      },
      ...{ CONFIG, DATA_DIR: await newFolder() },
    };
    let standalone = await startStandalone(env);
    let viewer = await Viewer.connect(standalone.url);
    try {
      let sent = await viewer.send(`Story 1: ${STORY}`);
      const { conversation_id } = sent;
      const hasEnded = () => {
        const turn = viewer.turn(conversation_id, sent.turn_id);
        return turn?.status === 'completed' || summaries.length > 0;
      };
      for (let i = 2; i < 30 && summaries.length === 0; i++) {
        await waitFor(hasEnded, { what: 'the end of the turn, or a summary' });
        if (summaries.length === 0) sent = await viewer.send(`Story ${i}: ${STORY}`, { conversation_id });
      }
      expect(summaries).toHaveLength(1);
      viewer.close();
      await standalone.kill('SIGKILL');
      standalone = await startStandalone(env);
      viewer = await Viewer.connect(standalone.url);
      await viewer.request('join', { conversation_id });
      const turn = await viewer.ended(conversation_id, sent.turn_id);
      expect(turn.steps.map(({ text, summary }) => [text, summary])).toEqual([
        ['', 'They told stories.'],
        ['Fine.', undefined],
      ]);
      const { messages, system } = api.requests.at(-1)!.body;
      expect(messages).toHaveLength(1);
      expect(JSON.stringify(system)).toContain('They told stories.');
      expect(summaries).toHaveLength(2);
      expect(api.violations).toEqual([]);
    } finally {
      open();
      viewer.close();
      await standalone.kill('SIGKILL');
      await api.close();
    }
  }, 120_000);
});
