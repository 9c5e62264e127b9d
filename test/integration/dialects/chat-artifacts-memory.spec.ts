import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { bytesInUse } from '../../services/heap.js';
import { waitFor } from '../../services/wait-for.js';
import { startHarness, type Harness } from '../gateway/gateway-harness.js';
import { PlayedTurn } from '../gateway/played-turn.js';

const MEGABYTE = 1024 * 1024;
const PINNED_MEGABYTES = 40;

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(() => harness.stop());

/** A body that this process never has as a whole, unless the gateway keeps it. */
function* bodyOf(message: string, megabytes: number): Generator<string> {
  yield `{"message":"${message}","history":[{"role":"assistant","content":"`;
  for (let at = 0; at < megabytes / 2; at++) yield 'h'.repeat(MEGABYTE);
  yield '"}],"pinnedArtifacts":[{"type":"text/plain","title":"Long","content":"';
  for (let at = 0; at < megabytes / 2; at++) yield 'p'.repeat(MEGABYTE);
  yield '"}]}';
}

async function post(message: string, megabytes: number): Promise<[ClientRequest, IncomingMessage]> {
  const request = httpRequest(`${harness.url}/api/chat-artifacts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  const answered = once(request, 'response');
  await pipeline(Readable.from(bodyOf(message, megabytes)), request);
  const [response] = (await answered) as [IncomingMessage];
  return [request, response];
}

it('a chat-artifacts turn does not retain the request body of its message', async () => {
  // What is made once, by the first request, is not counted.
  const [first] = await post('first', 1);
  const before = bytesInUse();
  const [, response] = await post('second', PINNED_MEGABYTES);
  let text = '';
  response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  const held = () => (bytesInUse() - before) / MEGABYTE;
  await waitFor(() => held() < PINNED_MEGABYTES / 8, {
    what: 'memory that is free again',
    timeoutMs: 10_000,
  });
  // The turn is as open as before, and ends as it should.
  await waitFor(() => text.includes('Processing request...'), { what: 'the first line' });
  const played = await PlayedTurn.take(harness, String(response.headers['x-turn-id']));
  expect(played.turn.options.context).toMatch(/p{1000}/);
  const ended = once(response, 'end');
  await played.answer('It is long.');
  await ended;
  expect(text).toContain('It is long.');
  first.destroy();
}, 60_000);
