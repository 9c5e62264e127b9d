import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  blockEvents,
  endEvents,
  messageStart,
  type ErrorReply,
  type MessageReply,
  type ReplyEvent,
  type ScriptedReply,
} from './messages-reply.js';
import type { Json } from './messages-refusal.js';
import { checkRequest } from './messages-request-rules.js';

export interface RecordedRequest {
  index: number;
  headers: NodeJS.Dict<string | string[]>;
  /** As sent, byte for byte. */
  rawBody: string;
  body: MessagesBody;
  /** Settles when the connection of this request is done: true if the client gave up before the answer was complete. */
  closedEarly: Promise<boolean>;
}

export type MessagesBody = Json & { model: string; messages: Json[]; tools?: Json[]; system?: Json[] };

export interface StrictMessagesApi {
  /** For `ANTHROPIC_BASE_URL`. */
  url: string;
  /** Every well-formed request that reached the script, oldest first. */
  requests: RecordedRequest[];
  /** Every request that the real API would have refused, with the reason. A test expects none. */
  violations: { message: string; body: unknown }[];
  close(): Promise<void>;
}

/** `index` counts the accepted requests from 0. */
export type Script = (body: MessagesBody, index: number) => ScriptedReply | Promise<ScriptedReply>;

/**
 * The Anthropic Messages API as a local server that refuses what the real one refuses (400, in its words, counted
 * in `violations`) and answers the rest as the script says, streamed.
 */
export async function startStrictMessagesApi({ script }: { script: Script }): Promise<StrictMessagesApi> {
  const api = { requests: [] as RecordedRequest[], violations: [] as StrictMessagesApi['violations'] };
  const server = createServer((request, response) => {
    handle(request, response, script, api).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, ...api, close };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  script: Script,
  api: Pick<StrictMessagesApi, 'requests' | 'violations'>,
): Promise<void> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
    return sendError(response, { status: 404, type: 'not_found_error', message: 'Not Found' });
  }
  const rawBody = await readBody(request);
  const body = parse(rawBody);
  const refusal = checkRequest(request.headers, body);
  if (refusal) {
    api.violations.push({ message: refusal.message, body });
    return sendError(response, refusal);
  }
  const index = api.requests.length;
  const closedEarly = new Promise<boolean>((resolve) =>
    response.on('close', () => resolve(!response.writableFinished)),
  );
  api.requests.push({ index, headers: request.headers, rawBody, body: body as MessagesBody, closedEarly });
  const reply = await script(body as MessagesBody, index);
  if ('status' in reply) return sendError(response, reply);
  await sendMessage(response, reply, body as MessagesBody, index);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sendError(response: ServerResponse, reply: ErrorReply): void {
  const { status, type = 'api_error', message = 'Something went wrong', headers, rawBody } = reply;
  const body = JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_fake' });
  const contentType = rawBody === undefined ? 'application/json' : 'text/html';
  response.writeHead(status, { 'content-type': contentType, 'request-id': 'req_fake', ...headers });
  response.end(rawBody ?? body);
}

async function sendMessage(
  response: ServerResponse,
  reply: MessageReply,
  body: Json,
  index: number,
): Promise<void> {
  const gone = new Promise<void>((resolve) => response.on('close', resolve));
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

/** Closes the connection in the middle of the body, after what was written has left. */
function cut(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write(': cut\n\n', () => {
      response.destroy();
      resolve();
    });
  });
}
