import { ModelError, type Model, type ModelPart, type ModelRequest } from '#llm';
import { scriptedModel, USAGE } from '../orchestrator/fleet-harness.js';

/** What the model does, as the test writes it in its message. */
export interface Play {
  /** Calls of each step: names as the model has them, and arguments. */
  steps?: [name: string, args: object][][];
  /** The same calls in every step, for ever. */
  endless?: [name: string, args: object][];
  /** Other arguments in each step, for ever: `{ n }`. */
  counting?: string;
  /** The text of the step without calls. */
  say?: string;
  /** `conversation` of the forced call; default: the text. */
  format?: unknown;
  thinking?: string;
  /** Plain text in the place of the forced call. */
  plain?: string;
  /** The model refuses the request. */
  fail?: string;
}

/** A model that plays what stands in the newest message, and keeps every request. */
export function playedModel(): Model & { requests: ModelRequest[] } {
  return scriptedModel((request) => {
    const { play, done } = readPlay(request);
    if (play.fail !== undefined) throw new ModelError(play.fail, 'invalid', { retryable: false });
    return request.tool_choice ? forced(play) : spoken(play, done);
  });
}

/** The requests that one message led to. */
export function requestsOf(requests: ModelRequest[], play: Play): ModelRequest[] {
  const text = JSON.stringify(play);
  return requests.filter((request) => textsOf(request).at(-1)?.text === text);
}

function forced({ format, plain, say = 'Done.', thinking }: Play): ModelPart[] {
  if (plain !== undefined) return speak(plain);
  const conversation = format ?? [{ type: 'text', content: say }];
  const args = { ...(thinking === undefined ? {} : { thinking }), conversation };
  return ask([['response_formatter', args]]);
}

function spoken({ steps = [], endless, counting, say = 'Done.' }: Play, done: number): ModelPart[] {
  if (counting !== undefined) return ask([[counting, { n: done }]]);
  const calls = endless ?? steps[done];
  return calls ? ask(calls) : speak(say);
}

function ask(calls: [name: string, args: object][]): ModelPart[] {
  const parts = calls.map(([name, args]): ModelPart => {
    return { type: 'tool_call', name, arguments: args as Record<string, unknown>, raw: '' };
  });
  return [...parts, { type: 'end', stop_reason: 'tool_use', usage: USAGE }];
}

function speak(text: string): ModelPart[] {
  return [
    { type: 'text', text },
    { type: 'end', stop_reason: 'end_turn', usage: USAGE },
  ];
}

function readPlay(request: ModelRequest): { play: Play; done: number } {
  const { text, at } = textsOf(request).at(-1) ?? { text: '{}', at: 0 };
  const since = request.messages.slice(at);
  const asking = since.filter(
    ({ role, content }) => role === 'assistant' && content.some(({ type }) => type === 'tool_use'),
  );
  return { play: JSON.parse(text) as Play, done: asking.length };
}

/** What people said that is a play. */
function textsOf({ messages }: ModelRequest): { text: string; at: number }[] {
  return messages.flatMap(({ role, content }, at) =>
    role === 'user'
      ? content.flatMap((item) =>
          item.type === 'text' && item.text.startsWith('{') ? [{ text: item.text, at }] : [],
        )
      : [],
  );
}
