import { HttpAgent, type BaseEvent } from '@ag-ui/client';
import OpenAI from 'openai';
import type { TurnView } from '#contracts';
import { answerOf as answerOfLines, linesOf, statuses } from '../integration/dialects/artifact-lines.js';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import { waitFor } from '../services/wait-for.js';
import { McpChatClient, readStrictly } from './mcp-chat-client.js';

/** What a request came to, as its client read it to its end. */
export interface Told {
  text: string;
  /** Own names of the tools that it was told to have run with success, in order. */
  calls: string[];
}

/** A request that was taken, and what becomes of it. */
export interface Asked {
  conversationId: string;
  /** The answer so far; of a dialect that tells it at its end, nothing. */
  text(): string;
  /** Rejects when it breaks off, or is not what its dialect allows. */
  told: Promise<Told>;
}

export interface Question {
  /** A conversation's id. Where a conversation cannot be named, it is the session's name. */
  place: string;
  /** The same question with the same key is the same turn, where there are keys. */
  key: string;
  content: string;
}

export interface DialectClient {
  ask(url: string, question: Question): Promise<Asked>;
  /** The text of a whole answer, by the journal. */
  answerOf(turn: TurnView): string;
  /** Text is told while it is said. */
  isLive: boolean;
  showsCalls: boolean;
  /** A question can be asked again without being another one. */
  hasKeys: boolean;
}

/** The toolset that a session selects, where one has to be. */
const SELECTED = 'repeats';
const PATIENCE_MS = 60_000;
const lastText = ({ steps }: TurnView) => steps.at(-1)!.text;
const allTexts = ({ steps }: TurnView) =>
  steps
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n');

/** By the name in `DIALECTS`: the published client, or one that takes nothing but what the contract says. */
export const DIALECT_CLIENTS: Record<string, DialectClient> = {
  openai: { ask: askOpenAi, answerOf: allTexts, isLive: true, showsCalls: false, hasKeys: true },
  'ag-ui': { ask: askAgUi, answerOf: lastText, isLive: true, showsCalls: true, hasKeys: true },
  'chat-artifacts-ndjson': {
    ...{ ask: askArtifacts, answerOf: lastText },
    ...{ isLive: false, showsCalls: true, hasKeys: false },
  },
  'mcp-chat-sse': {
    ...{ ask: askMcpChat, answerOf: lastText },
    ...{ isLive: false, showsCalls: true, hasKeys: false },
  },
  'genesis-chat': { ask: askGenesis, answerOf: allTexts, isLive: true, showsCalls: true, hasKeys: false },
};

async function askOpenAi(url: string, { place, key, content }: Question): Promise<Asked> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const headers = { 'X-Conversation-Id': place, 'Idempotency-Key': key };
  const messages = [{ role: 'user' as const, content }];
  const chunks = await client.chat.completions.create(
    { model: 'switchyard', stream: true, messages },
    { headers },
  );
  let text = '';
  const read = async (): Promise<Told> => {
    const ends: string[] = [];
    for await (const { choices } of chunks) {
      if (ends.length > 0) throw new Error('a chunk after the last one');
      text += choices[0]!.delta.content ?? '';
      if (choices[0]!.finish_reason) ends.push(choices[0]!.finish_reason);
    }
    if (ends.join() !== 'stop') throw new Error(`it ended with ${ends.join() || 'nothing'}`);
    return { text, calls: [] };
  };
  return asked(place, () => text, read());
}

async function askAgUi(url: string, { place, key, content }: Question): Promise<Asked> {
  const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId: place, fetch: fetchForAgent });
  const events: (BaseEvent & Record<string, unknown>)[] = [];
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) });
  agent.addMessage({ id: `of ${key}`, role: 'user', content });
  const text = () => String(agent.messages.findLast(({ role }) => role === 'assistant')?.content ?? '');
  // The library refuses what is against the grammar.
  const read = async (): Promise<Told> => {
    await agent.runAgent({ runId: key });
    const { type, outcome } = events.at(-1)! as unknown as { type: string; outcome?: { type: string } };
    if (type !== 'RUN_FINISHED' || outcome?.type !== 'success') throw new Error(`it ended with ${type}`);
    const names = new Map(
      events
        .filter((event) => (event.type as string) === 'TOOL_CALL_START')
        .map((event) => [event.toolCallId, String(event.toolCallName).split('.').at(-1)!]),
    );
    const results = events.filter((event) => (event.type as string) === 'TOOL_CALL_RESULT');
    return { text: text(), calls: results.map((event) => names.get(event.toolCallId)!) };
  };
  const told = read();
  told.catch(() => undefined);
  await Promise.race([waitFor(() => events.length > 0, { what: 'the run', timeoutMs: PATIENCE_MS }), told]);
  return asked(place, text, told);
}

/** The library throws what breaks its stream once more, where nobody can catch it, unless that has this name. */
async function fetchForAgent(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* response.body as unknown as AsyncIterable<Uint8Array>;
    } catch (cause) {
      throw Object.assign(new Error('the stream broke off', { cause }), { name: 'AbortError' });
    }
  };
  return new Response(ReadableStream.from<Uint8Array>(read()), response);
}

async function askArtifacts(url: string, { place, content }: Question): Promise<Asked> {
  const response = await fetch(`${url}/api/chat-artifacts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message: content, conversationId: place }),
  });
  const read = async (): Promise<Told> => {
    const lines = linesOf(await response.text());
    if (!lines.at(-1)!.final) throw new Error(`the last line is ${JSON.stringify(lines.at(-1))}`);
    const started = statuses(lines).flatMap((text) => /^Executing tool: (.*)\.\.\.$/.exec(text)?.[1] ?? []);
    const ended = statuses(lines).flatMap((text) => /^Tool (.*): Executed success/.exec(text)?.[1] ?? []);
    if (started.join() !== ended.join()) throw new Error(`started ${started.join()}, ended ${ended.join()}`);
    return { text: answerOfLines(lines), calls: ended };
  };
  return asked(response.headers.get('x-conversation-id')!, () => '', read());
}

async function askMcpChat(url: string, { place, content }: Question): Promise<Asked> {
  const client = new McpChatClient(url, { 'X-Session-Id': place });
  const isSelected = async () => (await client.connect(SELECTED)).status === 200;
  await waitFor(isSelected, { what: `${SELECTED} being selected`, timeoutMs: PATIENCE_MS });
  const response = await client.fetch('POST', '/chat/stream', { message: content });
  const read = async (): Promise<Told> => {
    const { text, ends, last } = await readStrictly(response);
    if (last !== '[DONE]') throw new Error(last);
    return { text, calls: ends.filter(({ status }) => status === 'success').map(({ name }) => name) };
  };
  return asked(response.headers.get('x-conversation-id')!, () => '', read());
}

async function askGenesis(url: string, { place, content }: Question): Promise<Asked> {
  const client = await GenesisClient.open(url);
  client.say(place, content);
  return followGenesis(client, place);
}

/** What a socket is told of one turn until it is complete. */
export function followGenesis(client: GenesisClient, conversationId: string): Asked {
  // Nothing can be taken back: what counts follows the words for it.
  const text = () => client.text.split('\n\n*(answer restarted)*\n\n').at(-1)!;
  const read = async (): Promise<Told> => {
    await waitFor(() => client.of('complete').length > 0 || client.closed, {
      what: 'the end of the turn',
      timeoutMs: PATIENCE_MS,
    });
    if (client.of('complete')[0]?.status !== 'completed') throw new Error('it broke off');
    const calls = client.of('tool_complete').filter(({ status }) => status === 'success');
    client.close();
    return { text: text(), calls: calls.map(({ tool_name }) => tool_name.split(':').at(-1)!) };
  };
  return asked(conversationId, text, read());
}

/** A request that nobody looks at yet may already have failed. */
function asked(conversationId: string, text: () => string, told: Promise<Told>): Asked {
  told.catch(() => undefined);
  return { conversationId, text, told };
}
