export interface ChatEvent {
  type: 'tool_start' | 'tool_end' | 'text';
  id: string;
  name: string;
  args: Record<string, unknown>;
  status: string;
  content: string;
}

/** A stream of `/chat/stream` that keeps to its contract. */
export interface StreamedChat {
  raw: string;
  events: ChatEvent[];
  starts: ChatEvent[];
  ends: ChatEvent[];
  text: string;
  /** `[DONE]` or `[ERROR] …`. */
  last: string;
  turnId: string;
  conversationId: string;
}

export interface Answered<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A client of MCP Chat that takes nothing but what the contract says. */
export class McpChatClient {
  constructor(
    readonly url: string,
    readonly headers: Record<string, string> = {},
  ) {}

  async request<T = never>(method: string, path: string, body?: unknown): Promise<Answered<T>> {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text ? JSON.parse(text) : null) as T,
    };
  }

  fetch(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const json = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...this.headers,
    };
    return fetch(this.url + path, { method, headers, ...json, ...(signal ? { signal } : {}) });
  }

  async status(): Promise<{ connected: boolean; server_id: string | null; tools: { name: string }[] }> {
    const { status, body } = await this.request<Awaited<ReturnType<McpChatClient['status']>>>(
      'GET',
      '/status',
    );
    if (status !== 200) throw new Error(`status: ${status}`);
    return body;
  }

  connect(id: string): Promise<
    Answered<{
      success: boolean;
      server_id: string;
      server_name: string;
      tools: { name: string; description: string }[];
      detail?: string;
    }>
  > {
    return this.request('POST', `/connect/${encodeURIComponent(id)}`);
  }

  chat(message: string): Promise<
    Answered<{
      response: string;
      tool_calls: { name: string; args: object; result?: string }[];
      detail?: string;
    }>
  > {
    return this.request('POST', '/chat', { message });
  }

  async stream(message: string): Promise<StreamedChat> {
    return readStrictly(await this.fetch('POST', '/chat/stream', { message }));
  }
}

const RAW = /^(data: [^\n]+\n\n|: [^\n]*\n\n)+$/;

/** Reads a stream to its end and throws when anything is not as the contract has it. */
export async function readStrictly(response: Response): Promise<StreamedChat> {
  if (response.status !== 200) throw new Error(`no stream: ${response.status} ${await response.text()}`);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new Error('no event stream');
  const raw = await response.text();
  if (!RAW.test(raw)) throw new Error(`not made of events: ${raw}`);
  const payloads = [...raw.matchAll(/^data: (.+)$/gm)].map(([, payload]) => payload!);
  const last = payloads.at(-1)!;
  if (last !== '[DONE]' && !last.startsWith('[ERROR] ')) throw new Error(`the last event is ${last}`);
  const events = payloads.slice(0, -1).map((payload) => JSON.parse(payload) as ChatEvent);
  const of = (type: ChatEvent['type']) => events.filter((event) => event.type === type);
  checkOrder(events);
  const text = of('text')
    .map(({ content }) => content)
    .join('');
  const name = (header: string) => response.headers.get(header)!;
  return {
    ...{ raw, events, starts: of('tool_start'), ends: of('tool_end'), text, last },
    ...{ turnId: name('x-turn-id'), conversationId: name('x-conversation-id') },
  };
}

function checkOrder(events: ChatEvent[]): void {
  const open = new Map<string, string>();
  const seen = new Set<string>();
  let hasText = false;
  for (const event of events) {
    const refuse = (why: string) => new Error(`${why}: ${JSON.stringify(event)}`);
    if (event.type === 'text') {
      hasText = true;
      if (event.content === '' || event.content.length > 64) throw refuse('a text of the wrong size');
    } else if (hasText) throw refuse('a call after text');
    else if (event.type === 'tool_start') {
      const isObject = typeof event.args === 'object' && event.args !== null && !Array.isArray(event.args);
      if (seen.has(event.id) || !isObject) throw refuse('a bad start');
      seen.add(event.id);
      open.set(event.id, event.name);
    } else {
      if (open.get(event.id) !== event.name) throw refuse('an end without its start');
      open.delete(event.id);
    }
  }
  if (open.size > 0) throw new Error(`calls without an end: ${[...open.keys()].join()}`);
}

/**
 * As front ends read that were only tried on a good network: what arrives together is taken for whole lines, and a line
 * that is cut is an error.
 */
export async function readNaively(response: Response): Promise<{ types: string[]; text: string }> {
  const types: string[] = [];
  let text = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>)
    for (const line of decoder
      .decode(bytes)
      .split('\n')
      .filter((one) => one.startsWith('data: '))) {
      const payload = line.slice('data: '.length);
      if (payload.startsWith('[')) {
        types.push(payload);
        continue;
      }
      const event = JSON.parse(payload) as ChatEvent;
      types.push(event.type);
      text += event.content ?? '';
    }
  return { types, text };
}
