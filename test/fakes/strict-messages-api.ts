import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  blockEvents,
  endEvents,
  messageStart,
  type MessageReply,
  type ReplyEvent,
} from './messages-reply.js';
import type { Json } from './messages-refusal.js';
import { checkRequest } from './messages-request-rules.js';
import {
  cut,
  startScriptedApi,
  whenGone,
  type ApiForm,
  type ApiScript,
  type ScriptedApi,
} from './scripted-api.js';

export type MessagesBody = Json & { model: string; messages: Json[]; tools?: Json[]; system?: Json[] };

/** Its `url` is for `ANTHROPIC_BASE_URL`. */
export type StrictMessagesApi = ScriptedApi<MessagesBody>;

/** `index` counts the accepted requests from 0. */
export type Script = ApiScript<MessagesBody, MessageReply>;

const FORM: ApiForm<MessagesBody, MessageReply> = {
  path: '/v1/messages',
  check: checkRequest,
  errorBody: ({ type, message }) => ({ type: 'error', error: { type, message }, request_id: 'req_fake' }),
  answer: sendMessage,
};

/**
 * The Anthropic Messages API as a local server that refuses what the real one refuses (400, in its words, counted
 * in `violations`) and answers the rest as the script says, streamed.
 */
export function startStrictMessagesApi({ script }: { script: Script }): Promise<StrictMessagesApi> {
  return startScriptedApi(FORM, script);
}

async function sendMessage(
  response: ServerResponse,
  reply: MessageReply,
  body: Json,
  index: number,
): Promise<void> {
  const gone = whenGone(response);
  await Promise.race([reply.hold, gone]);
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_fake' });
  send(response, messageStart(body.model, index, reply));
  send(response, { type: 'ping' });
  let blockIndex = 0;
  for (const block of reply.content) {
    if (block.type === 'hold') {
      await Promise.race([block.until, gone]);
      continue;
    }
    for (const event of blockEvents(block, blockIndex++)) {
      if (reply.eventDelayMs) {
        await Promise.race([delay(reply.eventDelayMs), gone]);
        send(response, { type: 'ping' });
      }
      if (response.destroyed) return;
      send(response, event);
    }
  }
  if (response.destroyed) return;
  if (reply.breakOff === 'cut') return cut(response);
  for (const event of endEvents(reply)) send(response, event);
  response.end();
}

function send(response: ServerResponse, event: ReplyEvent): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
