import { randomUUID } from 'node:crypto';
import { HttpAgent } from '@ag-ui/client';
import { answerOf, linesOf } from '../integration/dialects/artifact-lines.js';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import { McpChatClient } from './mcp-chat-client.js';
import { requestJson } from './standalone-process.js';
import { Viewer } from './viewer.js';

/** What a client was told to its message. */
export interface Said {
  conversationId: string;
  text: string;
}

/** Somebody who chats in one dialect, as its clients do. */
export interface RingClient {
  /** Its first message, in a conversation that it begins. */
  begin(content: string): Promise<Said>;
  /** A message in a conversation that somebody else may have begun; undefined: its clients cannot name one. */
  goOn?(conversationId: string, content: string): Promise<Said>;
  /** A message in the conversation that it began. */
  goOnAlone(content: string): Promise<Said>;
  close(): void;
}

/** By the name in `DIALECTS`, and the client protocol itself. A new dialect needs an entry. */
export const RING_CLIENTS: Record<string, (url: string) => Promise<RingClient>> = {
  'socket.io': async (url) => {
    const viewer = await Viewer.connect(url);
    const say = async (conversationId: string | undefined, content: string): Promise<Said> => {
      const place = conversationId === undefined ? {} : { conversation_id: conversationId };
      const { conversation_id, turn_id } = await viewer.send(content, place);
      await viewer.ended(conversation_id, turn_id);
      return { conversationId: conversation_id, text: viewer.text(conversation_id, turn_id) };
    };
    return inAnyConversation(say, () => viewer.close());
  },

  'genesis-chat': (url) => {
    const say = async (conversationId: string | undefined, content: string): Promise<Said> => {
      const id = conversationId ?? (await createConversation(url));
      const client = await GenesisClient.open(url);
      client.say(id, content);
      await client.next('complete');
      client.socket.close();
      return { conversationId: id, text: client.text };
    };
    return Promise.resolve(inAnyConversation(say));
  },

  'mcp-chat-sse': (url) => {
    const client = new McpChatClient(url, { 'X-Session-Id': `ring-${performance.now()}`.replace('.', '-') });
    // Its conversation is implied, so it is only ever in its own.
    const goOnAlone = (content: string): Promise<Said> => client.stream(content);
    return Promise.resolve({ begin: goOnAlone, goOnAlone, close: () => undefined });
  },

  'chat-artifacts-ndjson': (url) => {
    let names = 0;
    const say = async (conversationId: string | undefined, content: string): Promise<Said> => {
      const response = await fetch(`${url}/api/chat-artifacts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: content, conversationId: conversationId ?? `ring ${++names}` }),
      });
      const text = answerOf(linesOf(await response.text()));
      return { conversationId: response.headers.get('x-conversation-id')!, text };
    };
    return Promise.resolve(inAnyConversation(say));
  },

  openai: (url) => {
    const say = async (conversationId: string | undefined, content: string): Promise<Said> => {
      const { status, headers, body } = await requestJson<{ choices: [{ message: { content: string } }] }>(
        `${url}/v1/chat/completions`,
        {
          method: 'POST',
          headers: conversationId === undefined ? {} : { 'X-Conversation-Id': conversationId },
          json: { model: 'switchyard', messages: [{ role: 'user', content }] },
        },
      );
      if (status !== 200) throw new Error(`no completion: ${status} ${JSON.stringify(body)}`);
      return { conversationId: headers.get('x-conversation-id')!, text: body.choices[0].message.content };
    };
    return Promise.resolve(inAnyConversation(say));
  },

  'ag-ui': (url) => {
    const say = async (conversationId: string | undefined, content: string): Promise<Said> => {
      const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId: conversationId ?? randomUUID() });
      let id = '';
      agent.subscribe({
        onRunStartedEvent: ({ event }) => void (id = String(event.metadata?.conversation_id)),
      });
      agent.addMessage({ id: randomUUID(), role: 'user', content });
      const { newMessages } = await agent.runAgent();
      return { conversationId: id, text: String(newMessages.at(-1)?.content) };
    };
    return Promise.resolve(inAnyConversation(say));
  },
};

function inAnyConversation(
  say: (conversationId: string | undefined, content: string) => Promise<Said>,
  close: () => void = () => undefined,
): RingClient {
  let own: string | undefined;
  return {
    begin: async (content) => {
      const said = await say(undefined, content);
      own = said.conversationId;
      return said;
    },
    goOn: (conversationId, content) => say(conversationId, content),
    goOnAlone: (content) => say(own, content),
    close,
  };
}

async function createConversation(url: string): Promise<string> {
  const created = await requestJson<{ id: string }>(`${url}/api/conversations`, { method: 'POST', json: {} });
  return created.body.id;
}
