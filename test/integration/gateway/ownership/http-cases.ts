import type { Ids } from './things.js';

export interface Ask {
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** A good answer goes on for as long as its turn: that it begins is enough. */
  isStream?: true;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * How one route (`METHOD /path` as its controller has it) keeps people apart.
 *
 * - `open`: nobody has to say who he is; the text says why.
 * - `own`: asks for nothing in particular. Whatever comes back must hold nothing of Ann's.
 * - `about`: asks for things by their ids. For Bob, Ann's and nobody's must give the same answer; for Ann hers gives
 *   another one.
 * - `operator`: the same requests, which a user is refused.
 * - `refusesTokens`, `hides`: how refusals look in a dialect that has its own form; default: a problem document.
 */
export type RouteCase = { open: string } | GuardedCase;

export interface GuardedCase {
  operator?: true;
  own?: Ask;
  about?: ((ids: Ids) => Ask)[];
  /** What who may ask `own` gets, if it is no success. */
  status?: number;
  refusesTokens?: (reply: Reply) => void;
  hides?: (reply: Reply) => void;
}

const json = { 'content-type': 'application/json' };
const mcp = { ...json, accept: 'application/json, text/event-stream' };
const inConversation = (rest: string, body?: object) => ({
  about: [({ conversation }: Ids): Ask => ({ path: `/api/conversations/${conversation}${rest}`, body })],
});
const PROBE = 'probes and scrapers have no login';
const letter: GuardedCase = { operator: true, own: { path: '/api/admin/dead-letters/letter_1' } };

/** `mcp-chat-sse`: what only Ann's own connection could tell is asked for in `test/e2e/mcp-chat-sse.spec.ts`. */
const mcpChat = (path: string, more: { body?: object; status?: number } = {}): GuardedCase => ({
  own: { path, body: more.body },
  status: more.status,
  refusesTokens: ({ status, headers, text }) => {
    const { detail, ...rest } = JSON.parse(text) as Record<string, unknown>;
    const isPlain = typeof detail === 'string' && Object.keys(rest).length === 0;
    if (status !== 401 || !isPlain || headers.get('www-authenticate') !== 'Bearer')
      throw new Error(`not refused: ${status} ${text}`);
  },
});
const OTHER_METHOD: RouteCase = { open: 'another method is refused, whoever asks' };
const blank = { body: { message: ' ' }, status: 422 };
/** chat-artifacts-ndjson: errors are `{ error }`. */
const artifactChat = (
  path: string,
  asked: Pick<GuardedCase, 'status'> & { body?: object } = {},
): GuardedCase => ({
  own: { path, ...(asked.body ? { body: asked.body } : {}) },
  ...(asked.status ? { status: asked.status } : {}),
  refusesTokens: ({ status, text }) => {
    const { error } = JSON.parse(text) as { error?: unknown };
    if (status !== 401 || typeof error !== 'string') throw new Error(`not refused: ${status} ${text}`);
  },
});
/** Nobody plays an orchestrator here: who may ask gets past the login, and no further. */
const NO_MESSAGE = { body: { conversationId: 'ours' }, status: 400 };
/** Dialects with errors of their own: what is refused there, and still as 401. */
const refusedAs = (isForm: (body: Record<string, unknown>) => boolean): GuardedCase['refusesTokens'] => {
  return ({ status, headers, text }) => {
    const isRefused = status === 401 && headers.get('www-authenticate') === 'Bearer';
    if (!isRefused || !isForm(JSON.parse(text) as Record<string, unknown>))
      throw new Error(`not refused: ${status} ${text}`);
  };
};
const refusedByAgUi = refusedAs(({ type, code }) => type === 'RUN_ERROR' && code === 'unauthorized');

/** `openai`: refusals as that API has them. */
const openai: Pick<GuardedCase, 'refusesTokens' | 'hides'> = {
  refusesTokens: (reply) => expectOpenAiError(reply, 401),
  hides: (reply) => expectOpenAiError(reply, 404),
};
function expectOpenAiError({ status, text }: Reply, expected: number): void {
  const { error } = JSON.parse(text) as { error?: { message?: unknown } };
  if (status !== expected || typeof error?.message !== 'string')
    throw new Error(`not refused with ${expected}: ${status} ${text}`);
}

export const HTTP_CASES: Record<string, RouteCase> = {
  'GET /health/live': { open: PROBE },
  'GET /health/ready': { open: PROBE },
  'GET /metrics': { open: PROBE },
  'POST /api/auth/register': { open: 'who has no account makes one' },
  'GET /api/auth/registration': { open: 'whether there are accounts to be had is asked without one' },
  'POST /api/auth/token': { open: 'a token is had here' },
  'GET /api/auth/me': { own: { path: '/api/auth/me' } },
  'POST /api/auth/session': { open: 'a session begins here' },
  'DELETE /api/auth/session': { open: 'the cookie says whose session ends' },
  'GET /api/auth/sessions': { own: { path: '/api/auth/sessions' } },
  'DELETE /api/auth/sessions/:id': { about: [({ session }) => ({ path: `/api/auth/sessions/${session}` })] },
  'GET /api/me': { own: { path: '/api/me' } },
  'GET /api/approvals': { own: { path: '/api/approvals' } },
  'GET /api/connections': { own: { path: '/api/connections' } },
  'DELETE /api/connections/:id': {
    about: [({ connection }) => ({ path: `/api/connections/${connection}` })],
  },
  'POST /api/connections/:id/start': { about: [({ flow }) => ({ path: `/api/connections/${flow}/start` })] },
  'GET /api/connections/callback': { open: 'the state and the browser’s cookie say whose way back it is' },
  'GET /api/models': { own: { path: '/api/models' } },
  'GET /api/tools': { own: { path: '/api/tools' } },
  'GET /api/conversations': { own: { path: '/api/conversations' } },
  'POST /api/conversations': { own: { path: '/api/conversations', body: {} } },
  'GET /api/conversations/:id': inConversation(''),
  'PATCH /api/conversations/:id': inConversation('', { title: 'taken over' }),
  'DELETE /api/conversations/:id': inConversation(''),
  'GET /api/conversations/:id/messages': inConversation('/messages?include=tools'),
  'GET /api/conversations/:id/turns': inConversation('/turns'),
  'POST /api/conversations/:id/turns': inConversation('/turns', { content: 'hello' }),
  'POST /api/turns/:id/stop': { about: [({ turn }) => ({ path: `/api/turns/${turn}/stop` })] },
  'GET /api/turns/:id/waiting': { about: [({ turn }) => ({ path: `/api/turns/${turn}/waiting` })] },
  'GET /api/turns/:id/replay': { about: [({ turn }) => ({ path: `/api/turns/${turn}/replay` })] },
  'GET /api/turns/:id/calls/:tool_call_id': {
    about: [({ turn, approval }) => ({ path: `/api/turns/${turn}/calls/${approval}` })],
  },
  'POST /api/turns/:id/calls/:tool_call_id/approval': {
    about: [
      ({ turn, approval }) => ({
        path: `/api/turns/${turn}/calls/${approval}/approval`,
        body: { decision: 'approve' },
      }),
    ],
  },
  'POST /api/turns/:id/calls/:tool_call_id/input': {
    about: [
      ({ turn, question }) => ({ path: `/api/turns/${turn}/calls/${question}/input`, body: { content: {} } }),
    ],
  },
  'GET /api/artifacts/:id': { about: [({ artifact }) => ({ path: `/api/artifacts/${artifact}` })] },
  'GET /api/admin/status': { operator: true, own: { path: '/api/admin/status' } },
  'GET /api/admin/turns': { operator: true, own: { path: '/api/admin/turns' } },
  'GET /api/admin/turns/:id/timeline': {
    operator: true,
    about: [({ turn }) => ({ path: `/api/admin/turns/${turn}/timeline` })],
  },
  'GET /api/admin/switches': { operator: true, own: { path: '/api/admin/switches' } },
  'PUT /api/admin/switches/:kind/:name': {
    operator: true,
    own: { path: '/api/admin/switches/toolset/web', body: {} },
  },
  'DELETE /api/admin/switches/:kind/:name': {
    operator: true,
    own: { path: '/api/admin/switches/toolset/web' },
  },
  'GET /api/admin/verify': { operator: true, own: { path: '/api/admin/verify' } },
  'GET /api/admin/doctor': { operator: true, own: { path: '/api/admin/doctor' } },
  'GET /api/admin/audit': { operator: true, own: { path: '/api/admin/audit?user=ann' } },
  'GET /api/admin/dead-letters': { operator: true, own: { path: '/api/admin/dead-letters' } },
  'GET /api/admin/dead-letters/:id': letter,
  'DELETE /api/admin/dead-letters/:id': letter,
  'POST /api/admin/dead-letters/:id/replay': {
    operator: true,
    own: { path: '/api/admin/dead-letters/letter_1/replay' },
  },
  'GET /api/admin/conversations/:id/calls': {
    operator: true,
    about: [({ conversation }) => ({ path: `/api/admin/conversations/${conversation}/calls` })],
  },
  'GET /api/usage': { own: { path: '/api/usage?by=day,model,conversation' } },
  'GET /api/admin/usage': { operator: true, own: { path: '/api/admin/usage?by=user' } },
  'GET /api/admin/users': { operator: true, own: { path: '/api/admin/users' } },
  'PATCH /api/admin/users/:id': {
    operator: true,
    own: { path: '/api/admin/users/bob', body: { role: 'operator' } },
  },
  'GET /api/admin/invitations': { operator: true, own: { path: '/api/admin/invitations' } },
  'POST /api/admin/invitations': { operator: true, own: { path: '/api/admin/invitations', body: {} } },
  'DELETE /api/admin/invitations/:id': {
    operator: true,
    own: { path: '/api/admin/invitations/invitation_1' },
  },
  'POST /api/chat-artifacts': artifactChat('/api/chat-artifacts', NO_MESSAGE),
  'POST /api/chat': artifactChat('/api/chat', NO_MESSAGE),
  'POST /api/chat-basic': artifactChat('/api/chat-basic', NO_MESSAGE),
  'GET /api/server-names': artifactChat('/api/server-names'),
  'GET /api/server-status': artifactChat('/api/server-status'),
  'GET /api/api-keys/status': artifactChat('/api/api-keys/status'),
  'GET /api/storage/files': artifactChat('/api/storage/files'),
  'ALL /ws/chat': {
    open: 'it only says that a WebSocket is to be opened; whom that lets in is tested below',
  },
  'GET /servers': mcpChat('/servers'),
  'GET /status': mcpChat('/status'),
  'POST /connect/:id': mcpChat('/connect/nope', { status: 404 }),
  'POST /disconnect': mcpChat('/disconnect'),
  'POST /chat': mcpChat('/chat', blank),
  'POST /chat/stream': mcpChat('/chat/stream', blank),
  'ALL /servers': OTHER_METHOD,
  'ALL /status': OTHER_METHOD,
  'ALL /connect/:id': OTHER_METHOD,
  'ALL /disconnect': OTHER_METHOD,
  'ALL /chat': OTHER_METHOD,
  'ALL /chat/stream': OTHER_METHOD,
  'POST /api/transcribe': {
    own: { path: '/api/transcribe', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
    status: 501,
  },
  'GET /v1/models': { ...openai, own: { path: '/v1/models' } },
  'GET /v1/models/:id': { ...openai, own: { path: '/v1/models/nothing' }, status: 404 },
  'POST /v1/chat/completions': {
    ...openai,
    about: [
      ({ conversation }) => ({
        path: '/v1/chat/completions',
        headers: { 'x-conversation-id': conversation },
        body: { model: 'switchyard', stream: true, messages: [{ role: 'user', content: 'hello' }] },
        isStream: true,
      }),
    ],
  },
  'POST /ag-ui': { own: { path: '/ag-ui', body: {} }, status: 422, refusesTokens: refusedByAgUi },
  'ALL /mcp': {
    own: {
      path: '/mcp',
      headers: mcp,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    },
    about: [
      ({ artifact }) => ({
        path: '/mcp',
        headers: mcp,
        body: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `artifact:///${artifact}` } },
      }),
    ],
    hides: ({ status, text }) => {
      if (status !== 200 || !text.includes('"error"')) throw new Error(`not hidden: ${status} ${text}`);
    },
  },
};
