import type { CallView, ToolClass, ToolSource, TurnStatus, TurnView, Waiting } from '#contracts';
import { isSignedOut, readToken } from './token.js';

export interface ConversationSummary {
  id: string;
  title: string;
  created_at: string;
  updated_at: string;
  /** Of its turns; absent: the deployment's. */
  model?: string;
  /** The status of its active turn; absent if there is none. */
  status?: TurnStatus;
  /** The beginning of its first message, while it has no title. */
  opening?: string;
}

export interface ListedTool {
  name: string;
  description?: string;
  source: ToolSource;
  toolset: string;
  qualified_name: string;
  class?: ToolClass;
}

/** The server refused or could not be reached; `message` is for users. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const PAGE_OF_CONVERSATIONS = 100;
const PAGE_OF_TURNS = 20;

export const listConversations = (skip: number) =>
  ask<ConversationSummary[]>('GET', `/api/conversations?skip=${skip}&limit=${PAGE_OF_CONVERSATIONS}`);

/** The user whom the server takes this page for, with or without accounts. */
export const readMe = () => ask<{ id: string; is_operator: boolean; may_approve: boolean }>('GET', '/api/me');

/** A call of another user that waits for this one; `arguments` is JSON in which nothing is invisible. */
export interface WaitingApproval {
  turn_id: string;
  tool_call_id: string;
  tool_name: string;
  arguments: string;
  user_id: string;
  username?: string;
  asked_at: string;
  expires_at: string;
}

export const listApprovals = () => ask<{ approvals: WaitingApproval[] }>('GET', '/api/approvals');

export const answerApproval = (turnId: string, toolCallId: string, decision: 'approve' | 'deny') =>
  ask<object>('POST', `/api/turns/${turnId}/calls/${toolCallId}/approval`, { decision });

/** Where the person gives access to an account; the server leaves a cookie for the way back. */
export const startConnection = (id: string) =>
  ask<{ authorization_url: string }>('POST', `/api/connections/${id}/start`);

/** An account that the user has given an MCP server access to. */
export interface ConnectedAccount {
  id: string;
  server: string;
  issuer: string;
}

export const listConnections = () => ask<{ connections: ConnectedAccount[] }>('GET', '/api/connections');

export const removeConnection = (id: string) => ask<{ revoked: boolean }>('DELETE', `/api/connections/${id}`);

/** The signed-in user, if the server has accounts. */
export const readAccount = () => ask<{ username: string }>('GET', '/api/auth/me');

export interface UsedSums {
  input_tokens: number;
  output_tokens: number;
  cost: number;
}

export type UsedLine = UsedSums & { model: string };

interface Left {
  limit: number;
  left: number;
}

/** `rows` has one line for each model that was used. */
export interface UsedDays {
  total: UsedSums;
  rows: UsedLine[];
}

/** The model usage of the signed-in user. */
export interface Usage {
  today: UsedDays;
  month: UsedDays;
  budget?: { tokens?: Left; cost?: Left; renewed_at: string };
}

/** Today and the last 30 days. The server determines the day, because the local clock may be wrong. */
export async function readUsage(): Promise<Usage> {
  const month = await ask<UsedDays & Pick<Usage, 'budget'> & { to: string }>('GET', '/api/usage?by=model');
  const today = await ask<UsedDays>('GET', `/api/usage?by=model&from=${month.to}&to=${month.to}`);
  return { today, month, ...(month.budget && { budget: month.budget }) };
}

export const readConversation = (id: string) => ask<ConversationSummary>('GET', `/api/conversations/${id}`);

export const renameConversation = (id: string, title: string) =>
  ask<ConversationSummary>('PATCH', `/api/conversations/${id}`, { title });

export const deleteConversation = (id: string) => ask<undefined>('DELETE', `/api/conversations/${id}`);

/** Turns with a number below `before`, oldest first; `earlier` is true when there are more. */
export const listTurns = (id: string, before: number) =>
  ask<{ turns: TurnView[]; earlier: boolean }>(
    'GET',
    `/api/conversations/${id}/turns?before=${before}&limit=${PAGE_OF_TURNS}`,
  );

/** `default`: the model of turns that name none, if it is known. */
export const readModels = () => ask<{ default?: string; allowed: string[] }>('GET', '/api/models');

export const listTools = () => ask<{ tools: ListedTool[] }>('GET', '/api/tools');

/** A call with uncut arguments and result. */
export const readCall = (turnId: string, toolCallId: string) =>
  ask<CallView>('GET', `/api/turns/${turnId}/calls/${toolCallId}`);

/** Why a turn waits; null once it is over. */
export const readWaiting = (turnId: string) =>
  ask<{ waiting: Waiting | null }>('GET', `/api/turns/${turnId}/waiting`);

export const artifactPath = (id: string) => `/api/artifacts/${encodeURIComponent(id)}`;

/** Its bytes, with the type that the server reports. */
export const readArtifact = async (id: string) => (await send('GET', artifactPath(id), '*/*')).blob();

/** One request with JSON in both directions. Throws `HttpError`. */
export async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await send(method, path, 'application/json', body);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function send(method: string, path: string, accept: string, body?: object): Promise<Response> {
  const token = readToken();
  // A pending task asked after sign-out: no request leaves the page without a user.
  if (isSignedOut()) throw new HttpError(401, 'You are signed out.');
  const headers = new Headers({ accept });
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  if (body) headers.set('content-type', 'application/json');
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new HttpError(0, 'The server cannot be reached.');
  }
  if (!response.ok) throw new HttpError(response.status, await reasonOf(response));
  return response;
}

/** For users: the `detail` of a problem document, or a sentence made from the status. */
export async function reasonOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => null)) as { detail?: unknown } | null;
  return typeof problem?.detail === 'string' ? problem.detail : `The server answered ${response.status}.`;
}
