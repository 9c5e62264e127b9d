import { GenesisClient } from '../integration/dialects/genesis-client.js';
import type { ServerFrame } from '../../apps/gateway/dialects/genesis-chat/server-frame.js';
import { waitFor } from '../services/wait-for.js';
import { requestJson, type HttpAnswer } from './standalone-process.js';

interface Card {
  name: string;
  /** `mcp` is shown as a badge. */
  source: string;
  isOpen: boolean;
  text: string;
}

export interface GenesisMessage {
  id: string;
  role: string;
  content: string;
  metadata?: object;
}

/** The Genesis front end, as its contract describes it: what it asks, what it shows, when its input is locked. */
export class GenesisFrontEnd {
  readonly cards: Card[] = [];
  readonly shown: string[] = [];
  streamed = '';
  isLocked = false;
  token = '';
  conversationId = '';
  private title = '';
  private client: GenesisClient | undefined;
  private read = 0;

  constructor(readonly url: string) {}

  /** The socket that is open. */
  get socket(): GenesisClient {
    return this.client!;
  }

  ask<T = never>(method: string, path: string, init: object = {}): Promise<HttpAnswer<T>> {
    const headers: Record<string, string> = { origin: 'http://localhost:5173' };
    if (this.token !== '') headers.authorization = `Bearer ${this.token}`;
    return requestJson<T>(`${this.url}/api${path}`, { method, headers, ...init });
  }

  register(username: string, more: object = {}): Promise<HttpAnswer<{ id: string; detail: unknown }>> {
    const json = { email: `${username}@example.org`, username, password: 'correct horse', ...more };
    return this.ask('POST', '/auth/register', { json });
  }

  /** The password grant, as axios sends a form. */
  async signIn(username: string, password = 'correct horse'): Promise<HttpAnswer<{ access_token: string }>> {
    const body = new URLSearchParams({ grant_type: 'password', username, password, scope: '' });
    const answer = await this.ask<{ access_token: string }>('POST', '/auth/token', { body });
    if (answer.status === 200) this.token = answer.body.access_token;
    return answer;
  }

  async startConversation(): Promise<void> {
    const json = { title: 'New Chat' };
    const { body } = await this.ask<{ id: string; title: string }>('POST', '/conversations', { json });
    [this.conversationId, this.title] = [body.id, body.title];
  }

  async connect(): Promise<void> {
    const client = await GenesisClient.open(this.url, { token: this.token });
    [this.client, this.read] = [client, 0];
    client.socket.on('message', () => this.showNews());
  }

  /** Sends, locks its input, and gives the conversation its own title at the first message. */
  async send(content: string, { isRenaming = false } = {}): Promise<void> {
    this.isLocked = true;
    this.socket.say(this.conversationId, content);
    if (!isRenaming || this.title !== 'New Chat') return;
    this.title = content.slice(0, 50);
    await this.ask('PATCH', `/conversations/${this.conversationId}`, { json: { title: this.title } });
  }

  /** Resolves when its input is free again. */
  async answered(): Promise<void> {
    await waitFor(() => !this.isLocked, { what: 'the end of the answer', timeoutMs: 20_000 });
  }

  async messages(query = ''): Promise<GenesisMessage[]> {
    const path = `/conversations/${this.conversationId}/messages${query}`;
    return (await this.ask<GenesisMessage[]>('GET', path)).body;
  }

  private showNews(): void {
    for (const frame of this.socket.frames.slice(this.read)) this.show(frame);
    this.read = this.socket.frames.length;
  }

  private show(frame: ServerFrame): void {
    if (frame.type === 'token') this.streamed += frame.content;
    if (frame.type === 'tool_start')
      this.cards.push({ name: frame.tool_name, source: frame.source, isOpen: true, text: frame.tool_input });
    if (frame.type === 'tool_complete') {
      // The newest open one, whatever its name.
      const open = this.cards.findLast(({ isOpen }) => isOpen);
      if (open) Object.assign(open, { isOpen: false, text: frame.tool_result });
    }
    if (frame.type === 'error') this.streamed = '';
    // Alone it unlocks nothing.
    if (frame.type === 'complete' && this.streamed !== '') {
      this.shown.push(this.streamed);
      this.streamed = '';
      this.isLocked = false;
    }
  }
}
