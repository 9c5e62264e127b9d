import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './messages-refusal.js';

/** A request that the API would have answered. */
export interface RecordedRequest<Body> {
  index: number;
  headers: NodeJS.Dict<string | string[]>;
  /** As sent, byte for byte. */
  rawBody: string;
  body: Body;
  /** Settles when the connection of this request is done: true if the client gave up before the answer was complete. */
  closedEarly: Promise<boolean>;
}

/** An HTTP error, by script or because a rule was broken. */
export interface ErrorReply {
  status: number;
  type?: string;
  message?: string;
  headers?: Record<string, string>;
  /** Sent instead of the JSON error, like the page of a proxy. */
  rawBody?: string;
}

/** A body as a provider would send it, byte for byte. */
export interface RawReply {
  raw: string;
  /** Nothing is sent, not even headers, before this settles. */
  hold?: Promise<unknown>;
  /** After the body: the connection dies, or stays open and silent until this settles. */
  then?: 'cut' | Promise<unknown>;
}

/** What makes one provider's API of a server. */
export interface ApiForm<Body, Reply> {
  path: string;
  /** The first rule that the request breaks. */
  check(
    headers: NodeJS.Dict<string | string[]>,
    body: unknown,
  ): (ErrorReply & { message: string }) | undefined;
  errorBody(error: Required<Pick<ErrorReply, 'status' | 'type' | 'message'>>): unknown;
  /** Streams an answer. */
  answer(response: ServerResponse, reply: Reply, body: Body, index: number): Promise<void>;
}

export interface ScriptedApi<Body> {
  /** Without a path. */
  url: string;
  /** Every well-formed request that reached the script, oldest first. */
  requests: RecordedRequest<Body>[];
  /** Every request that the real API would have refused, with the reason. A test expects none. */
  violations: { message: string; body: unknown }[];
  close(): Promise<void>;
}

/** `index` counts the accepted requests from 0. */
export type ApiScript<Body, Reply> = (
  body: Body,
  index: number,
) => Reply | RawReply | ErrorReply | Promise<Reply | RawReply | ErrorReply>;

/** A local server that refuses what the form's rules refuse and answers the rest as the script says. */
export async function startScriptedApi<Body extends Json, Reply extends object>(
  form: ApiForm<Body, Reply>,
  script: ApiScript<Body, Reply>,
): Promise<ScriptedApi<Body>> {
  const api: Pick<ScriptedApi<Body>, 'requests' | 'violations'> = { requests: [], violations: [] };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, ...api, close };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== form.path)
      return sendError(response, form, { status: 404, type: 'not_found_error', message: 'Not Found' });
    const rawBody = await readBody(request);
    const body = parse(rawBody);
    const refusal = form.check(request.headers, body);
    if (refusal) {
      api.violations.push({ message: refusal.message, body });
      return sendError(response, form, refusal);
    }
    const index = api.requests.length;
    const closedEarly = new Promise<boolean>((resolve) =>
      response.on('close', () => resolve(!response.writableFinished)),
    );
    const accepted = body as Body;
    api.requests.push({ index, headers: request.headers, rawBody, body: accepted, closedEarly });
    const reply = await script(accepted, index);
    if ('status' in reply) return sendError(response, form, reply);
    if ('raw' in reply) return sendRaw(response, reply);
    await form.answer(response, reply, accepted, index);
  }
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

function sendError(
  response: ServerResponse,
  form: Pick<ApiForm<never, never>, 'errorBody'>,
  reply: ErrorReply,
): void {
  const { status, type = 'api_error', message = 'Something went wrong', headers, rawBody } = reply;
  const contentType = rawBody === undefined ? 'application/json' : 'text/html';
  response.writeHead(status, { 'content-type': contentType, 'request-id': 'req_fake', ...headers });
  response.end(rawBody ?? JSON.stringify(form.errorBody({ status, type, message })));
}

async function sendRaw(response: ServerResponse, { raw, hold, then }: RawReply): Promise<void> {
  const gone = whenGone(response);
  await Promise.race([hold, gone]);
  if (response.destroyed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(raw);
  if (then === 'cut') return cut(response);
  await Promise.race([then, gone]);
  response.end();
}

/** Settles when the client has gone, or everything was sent. */
export function whenGone(response: ServerResponse): Promise<void> {
  return new Promise<void>((resolve) => response.on('close', resolve));
}

/** Closes the connection in the middle of the body, after what was written has left. */
export function cut(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write(': cut\n\n', () => {
      response.destroy();
      resolve();
    });
  });
}
