import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';
import { addCall, PlayedTurn } from '../gateway/played-turn.js';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

function post(path: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(harness.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: text,
  });
}

describe('POST /chat/stream', () => {
  it('streams the calls, then the final text in chunks, then [DONE]', async () => {
    const response = await post('/chat/stream', { message: 'what is 1 + 2?' });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const played = await PlayedTurn.take(harness, response.headers.get('x-turn-id')!);
    const call = addCall('A');
    await played.start();
    played.beginStep(1);
    played.token(1, 'Let me look.');
    await played.commit(1, 'Let me look.', [call]);
    await played.claim(call.tool_call_id, 'worker-1');
    const end = await played.settle(call, 1, 3);
    played.emit(end);
    played.beginStep(2, [end]);
    played.token(2, 'It is 3.');
    played.complete(await played.commit(2, 'It is 3.'));
    const events = (await response.text()).split('\n\n').filter((event) => event !== '');
    expect(events.map((event) => event.slice(6, 26))).toEqual([
      '{"type":"tool_start"',
      '{"type":"tool_end","',
      '{"type":"text","cont',
      '[DONE]',
    ]);
  });

  it('answers errors in its own form, before any stream', async () => {
    for (const [body, status] of [
      [{}, 422],
      [{ message: 5 }, 422],
      [{ message: '  ' }, 422],
      ['{', 400],
    ] as const) {
      const response = await post('/chat/stream', body);
      expect([response.status, await response.json()]).toEqual([status, { detail: expect.any(String) }]);
    }
  });

  it('goes on when its client leaves', async () => {
    const controller = new AbortController();
    const response = await fetch(`${harness.url}/chat/stream`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: 'hello' }),
      signal: controller.signal,
    });
    const played = await PlayedTurn.take(harness, response.headers.get('x-turn-id')!);
    await played.start();
    controller.abort();
    const { feeds } = harness.running.gateway;
    await waitFor(() => feeds.find(played.turn.conversation_id)?.hasViewers !== true, {
      what: 'nobody there',
    });
    played.beginStep(1);
    played.complete(await played.commit(1, 'Hello.'));
    expect((await harness.store.listSteps(played.turn.conversation_id, { after: 0, before: 2 })).length).toBe(
      1,
    );
  });
});
