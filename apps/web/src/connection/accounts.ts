import { HttpError, reasonOf } from './http.js';

export interface NewAccount {
  email: string;
  username: string;
  password: string;
  full_name?: string;
  /** The token of an invitation. */
  invitation?: string;
}

/** The options of a user without an account on this server. */
export type Registration = 'open' | 'invite' | 'closed';

export async function readRegistration(): Promise<Registration> {
  const { registration } = (await ask('/api/auth/registration')) as { registration: Registration };
  return registration;
}

/** Gets a token for a username or an email and its password. Throws `HttpError` with a message for users. */
export async function requestToken(username: string, password: string): Promise<string> {
  const form = new URLSearchParams({ username, password });
  const { access_token } = (await post('/api/auth/token', form)) as { access_token: string };
  return access_token;
}

export async function register(account: NewAccount): Promise<void> {
  await post('/api/auth/register', JSON.stringify(account), { 'content-type': 'application/json' });
}

function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<unknown> {
  return ask(path, { method: 'POST', headers, body });
}

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new HttpError(0, 'The server cannot be reached.');
  }
  if (!response.ok) throw new HttpError(response.status, await reasonOf(response));
  return response.json();
}
