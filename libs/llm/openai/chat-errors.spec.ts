import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { toEvent } from '../../../test/fakes/chat-reply.js';
import type { ChatService } from '../../../test/fakes/chat-request-rules.js';
import type { ErrorReply, RawReply } from '../../../test/fakes/scripted-api.js';
import { startStrictChatApi, type StrictChatApi } from '../../../test/fakes/strict-chat-api.js';
import { ModelError } from '../port/model.port.js';
import { aRequest, collect } from '../testing/model-contract.js';
import { GEMINI } from '../providers/gemini.js';
import { OLLAMA } from '../providers/ollama.js';
import { OPENAI } from '../providers/openai.js';
import { ChatModel } from './chat-model.adapter.js';

const KEY = 'AIzaSyTest-0123456789';
const PROVIDERS = { openai: OPENAI, gemini: GEMINI, ollama: OLLAMA, compatible: OPENAI };

let api: StrictChatApi;

async function run(reply: RawReply | ErrorReply, service: ChatService = 'openai') {
  api = await startStrictChatApi({ service, script: () => reply });
  const provider = PROVIDERS[service];
  const model = new ChatModel({ clock: new SystemClock(), provider, apiKey: KEY, baseUrl: api.baseUrl });
  return collect(model.stream(aRequest(`${provider.name}/some-model`), new AbortController().signal));
}

async function fail(reply: RawReply | ErrorReply, service?: ChatService): Promise<ModelError> {
  const error: unknown = await run(reply, service).catch((reason: unknown) => reason);
  if (!(error instanceof ModelError)) throw new Error(`expected a ModelError, got ${String(error)}`);
  expect(api.requests).toHaveLength(1);
  return error;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): ErrorReply => ({
  status,
  rawBody: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
const coded = (status: number, code: string, message = 'No.') => json(status, { error: { message, code } });

afterEach(() => api.close());

describe('an HTTP error of Chat Completions', () => {
  it.each<[string, ErrorReply, ModelError['kind'], boolean]>([
    ['401', { status: 401 }, 'auth', false],
    ['403', { status: 403 }, 'auth', false],
    ['404', { status: 404 }, 'invalid', false],
    ['400', { status: 400 }, 'invalid', false],
    ['422', { status: 422 }, 'invalid', false],
    ['413', { status: 413 }, 'context_overflow', false],
    ['408', { status: 408 }, 'server', true],
    ['409', { status: 409 }, 'server', true],
    ['429', { status: 429 }, 'rate_limited', true],
    ['500', { status: 500 }, 'server', true],
    ['503', { status: 503 }, 'server', true],
    [
      '503 with a message about overload',
      { status: 503, message: 'The model is overloaded.' },
      'overloaded',
      true,
    ],
    ['402', { status: 402, message: 'Insufficient Balance' }, 'used_up', false],
    ['429 without credit', coded(429, 'insufficient_quota'), 'used_up', false],
    ['400 beyond the spending limit', coded(400, 'billing_hard_limit_reached'), 'used_up', false],
    [
      '429 that waiting cannot fix',
      { status: 429, message: 'Request too large for gpt-4o on tokens per min (TPM)' },
      'context_overflow',
      false,
    ],
    ['400 with the code of a long history', coded(400, 'context_length_exceeded'), 'context_overflow', false],
    [
      '400 with a message about a long history',
      { status: 400, message: "This model's maximum context length is 8192 tokens." },
      'context_overflow',
      false,
    ],
    ['500 that forbids a retry', { status: 500, headers: { 'x-should-retry': 'false' } }, 'server', false],
  ])('with status %s is %s', async (_, reply, kind, retryable) => {
    const error = await fail(reply);
    expect({ kind: error.kind, ...error.options }).toMatchObject({ kind, retryable, status: reply.status });
  });

  it.each<[string, ErrorReply, number | undefined]>([
    ['retry-after', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    [
      'the reset of the budget that is used up',
      {
        status: 429,
        headers: {
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': '1m2.5s',
          'x-ratelimit-remaining-tokens': '100',
          'x-ratelimit-reset-tokens': '6h0m0s',
        },
      },
      62_500,
    ],
    ['any reset time', { status: 429, headers: { 'x-ratelimit-reset-tokens': '20ms' } }, 20],
    ['nothing', { status: 429, headers: { 'x-ratelimit-reset-tokens': 'soon' } }, undefined],
  ])('passes on the time to wait from %s', async (_, reply, expected) => {
    expect((await fail(reply)).options.retryAfterMs).toBe(expected);
  });

  it('names the key to set, never a key', async () => {
    const error = await fail({ status: 401, message: `Incorrect API key provided: ${KEY}` });
    expect(error.message).toBe(
      'The OpenAI API refused the key (HTTP 401). Set OPENAI_API_KEY to a valid key and restart.',
    );
    await api.close();
    const other = await fail({ status: 400, message: `bad: ${KEY}, sk-proj-abcdef and AIzaOther0123456789` });
    expect(other.message).toBe('The OpenAI API refused the request (HTTP 400): bad: [key], [key] and [key]');
  });

  it.each<[string, string, string]>([
    ['plain text', JSON.stringify({ error: 'model "x" not found' }), ': model "x" not found'],
    [
      'an unwrapped object',
      JSON.stringify({ object: 'error', message: 'No such model.' }),
      ': No such model.',
    ],
    ['a list of details', JSON.stringify({ detail: [{ msg: 'Bad.' }] }), ': [{"msg":"Bad."}]'],
    ['the page of a proxy', '<html>Not found</html>', ''],
  ])('is read in the form of %s', async (_, rawBody, said) => {
    const error = await fail({ status: 404, rawBody }, 'ollama');
    expect(error.message).toBe(`The Ollama server refused the request (HTTP 404)${said}`);
  });

  it('is a refusal when the provider’s filter stopped the question', async () => {
    expect(await run(coded(400, 'content_filter'))).toEqual([
      expect.objectContaining({ type: 'end', stop_reason: 'refusal' }),
    ]);
  });
});

describe('an error of Gemini', () => {
  const google = (status: number, details: object[], message = 'No.') =>
    json(status, [{ error: { code: status, message, status: 'X', details } }]);

  it('about the key is recognised although it is a 400', async () => {
    const error = await fail(google(400, [{ reason: 'API_KEY_INVALID' }]), 'gemini');
    expect(error).toMatchObject({ kind: 'auth', options: { retryable: false } });
    expect(error.message).toContain('GEMINI_API_KEY');
  });

  it('contains in its details the time to wait, and whether waiting helps', async () => {
    expect((await fail(google(429, [{ retryDelay: '34s' }]), 'gemini')).options).toMatchObject({
      retryable: true,
      retryAfterMs: 34_000,
    });
    await api.close();
    const perDay = [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }, { retryDelay: '34s' }];
    expect(await fail(google(429, perDay), 'gemini')).toMatchObject({
      kind: 'used_up',
      options: { retryable: false },
    });
  });

  it('reports a history that is too long', async () => {
    const message = 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).';
    expect((await fail(google(400, [], message), 'gemini')).kind).toBe('context_overflow');
  });
});

describe('an error in the stream', () => {
  it.each<[string, object, ModelError['kind'], boolean]>([
    ['reports a server error', { message: 'x', type: 'server_error' }, 'server', true],
    ['reports a rate limit', { message: 'x', code: 'rate_limit_exceeded' }, 'rate_limited', true],
    ['reports used-up credit', { message: 'x', code: 'insufficient_quota' }, 'used_up', false],
    [
      'reports an unavailable service as a server error',
      { message: 'x', code: 503, status: 'UNAVAILABLE' },
      'server',
      true,
    ],
    ['reports an overloaded model', { message: 'The model is overloaded.' }, 'overloaded', true],
    [
      'reports a context overflow',
      { message: 'x', code: 'context_length_exceeded' },
      'context_overflow',
      false,
    ],
    ['reports an invalid request', { message: 'x', type: 'invalid_request_error' }, 'invalid', false],
  ])('%s', async (_, error, kind, retryable) => {
    expect(await fail({ raw: toEvent({ error }) })).toMatchObject({ kind, options: { retryable } });
  });

  it('is harmless after the end of the answer', async () => {
    const raw = toEvent({ choices: [{ delta: { content: 'All.' }, finish_reason: 'stop' }] });
    const parts = await run({ raw: raw + toEvent({ error: { message: 'late' } }) });
    expect(parts.at(-1)).toMatchObject({ type: 'end', stop_reason: 'end_turn' });
  });

  it('that is not JSON is a network error', async () => {
    expect(await fail({ raw: 'data: {oops\n\n' })).toMatchObject({ kind: 'network' });
  });
});

describe('an OpenAI-compatible server', () => {
  it('that is unreachable is a retryable network error', async () => {
    await run({ raw: toEvent({ choices: [{ delta: {}, finish_reason: 'stop' }] }) });
    await api.close();
    const model = new ChatModel({ clock: new SystemClock(), provider: OLLAMA, baseUrl: api.baseUrl });
    await expect(
      collect(model.stream(aRequest('ollama/x'), new AbortController().signal)),
    ).rejects.toMatchObject({
      kind: 'network',
      message: 'The Ollama server could not be reached (ECONNREFUSED).',
      options: { retryable: true },
    });
  });

  it('without a key is sent none', async () => {
    api = await startStrictChatApi({ service: 'ollama', script: () => ({ status: 400 }) });
    const model = new ChatModel({ clock: new SystemClock(), provider: OLLAMA, baseUrl: api.baseUrl });
    await collect(model.stream(aRequest('ollama/x'), new AbortController().signal)).catch(() => undefined);
    expect(api.requests[0]!.headers.authorization).toBeUndefined();
  });
});
