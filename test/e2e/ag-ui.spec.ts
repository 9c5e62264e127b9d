import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpAgent } from '@ag-ui/client';
import type { SwitchyardProcess } from '../services/processes.js';
import { removeFolders, startStandalone, writeSettings } from './standalone-process.js';

let process: SwitchyardProcess;
beforeAll(async () => {
  const CONFIG = await writeSettings('switchyard.json', {
    tools: { 'math.multiply': { approve: 'always' } },
  });
  process = await startStandalone({ CONFIG });
});
afterAll(async () => {
  await process.kill('SIGTERM');
  await removeFolders();
});

describe('the AG-UI client with a whole system', () => {
  it('has a conversation with tools, run after run', async () => {
    const agent = new HttpAgent({ url: `${process.url}/ag-ui`, threadId: 'sums' });
    for (const [question, answer] of [
      ['what is 17 + 25?', '42'],
      ['what is 20 + 3?', '23'],
    ] as const) {
      agent.addMessage({ id: question, role: 'user', content: question });
      const { newMessages } = await agent.runAgent();
      expect(newMessages.filter(({ role }) => role === 'tool')).toMatchObject([{ content: answer }]);
      expect(newMessages.at(-1)).toMatchObject({
        role: 'assistant',
        content: expect.stringContaining(answer),
      });
    }
  });

  it('asks its person, and continues with the answer', async () => {
    const agent = new HttpAgent({ url: `${process.url}/ag-ui`, threadId: 'products' });
    agent.addMessage({ id: 'q', role: 'user', content: 'what is 6 * 7?' });
    await agent.runAgent();
    const [interrupt] = agent.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: 'tool_approval', responseSchema: { required: ['approved'] } });
    const resume = [{ interruptId: interrupt!.id, status: 'resolved' as const, payload: { approved: true } }];
    await agent.runAgent({ resume });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(agent.messages.at(-1)).toMatchObject({ content: expect.stringContaining('42') });
  });
});
