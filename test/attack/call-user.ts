import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from './target.js';

/** As far as attacks look at it. */
interface SeenTurn {
  turn_id: string;
  status: string;
}

/** A user who runs tools without a model, over HTTP. */
export class CallUser {
  private constructor(
    private readonly target: Target,
    private readonly token: string,
  ) {}

  static async register(target: Target, username: string): Promise<CallUser> {
    return new CallUser(target, await target.register(username));
  }

  /** The turn of one call, when it has ended. */
  async call(tool_name: string, args: object): Promise<{ conversationId: string; turn: SeenTurn }> {
    const made = await this.ask('POST', '/api/conversations', {});
    const conversationId = ((await made.json()) as { id: string }).id;
    const path = `/api/conversations/${conversationId}/turns`;
    const body = {
      content: 'a call',
      client_message_id: 'm1',
      options: { call: { tool_name, arguments: args } },
    };
    const sent = await this.ask('POST', path, body);
    if (sent.status !== 202) throw new Error(`${sent.status} ${await sent.text()}`);
    await sent.arrayBuffer();
    for (;;) {
      const listed = await this.ask('GET', `${path}?limit=1`);
      const [turn] = ((await listed.json()) as { turns: SeenTurn[] }).turns;
      if (turn && ['completed', 'failed', 'cancelled'].includes(turn.status)) return { conversationId, turn };
      await delay(25);
    }
  }

  ask(method: string, path: string, body?: object): Promise<Response> {
    return fetch(`${this.target.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
