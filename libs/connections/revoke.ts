import type { Clock } from '#time';
import { limitTime } from '#time';
import type { Grant } from './grants.js';

const TIMEOUT_MS = 10_000;

/**
 * Gives tokens back to their issuer (RFC 7009): with the refresh token the whole access ends. Resolves to false when the
 * issuer takes none back, or did not accept it; then they end by themselves.
 */
export async function revoke(
  { tokens, client, revocation }: Grant,
  clock: Pick<Clock, 'after'>,
): Promise<boolean> {
  if (!revocation) return false;
  const token = tokens.refresh_token ?? tokens.access_token;
  const hint = tokens.refresh_token === undefined ? 'access_token' : 'refresh_token';
  const body = new URLSearchParams({ token, token_type_hint: hint });
  const headers = new Headers();
  try {
    identify(client, revocation.methods ?? ['client_secret_basic'], headers, body);
    const signal = limitTime(clock, TIMEOUT_MS);
    // A redirect could lead to somebody else.
    const options: RequestInit = { method: 'POST', headers, body, signal, redirect: 'error' };
    const response = await fetch(revocation.endpoint, options);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** As at the token endpoint (RFC 6749, section 2.3.1). */
function identify(
  { client_id, client_secret, token_endpoint_auth_method }: Grant['client'],
  methods: readonly string[],
  headers: Headers,
  body: URLSearchParams,
): void {
  const registered = methods.find((method) => method === token_endpoint_auth_method);
  const known = ['client_secret_basic', 'client_secret_post'].find((method) => methods.includes(method));
  const wanted = registered ?? known ?? 'none';
  if (client_secret !== undefined && wanted === 'client_secret_basic') {
    const pair = [client_id, client_secret].map(encodeURIComponent).join(':');
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    return;
  }
  body.set('client_id', client_id);
  if (client_secret !== undefined && wanted !== 'none') body.set('client_secret', client_secret);
}
