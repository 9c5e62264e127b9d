import type { FetchLike } from '@modelcontextprotocol/client';
import { limitTime, type Clock } from '#time';
import { isConfidential, isLoopback } from '../config/oauth-config.js';
import { fetchWithin } from '../limits/limited-fetch.js';

/** Shorter than a claim to refresh tokens lasts. */
const TIMEOUT_MS = 15_000;
/** Metadata and tokens are a few KiB; the answers are kept. */
const MAX_ANSWER_BYTES = 64 * 1024;
const ERROR_CODE = /^[\w.-]{1,64}$/;

/**
 * `fetch` for requests about access to a server, to addresses that the server and its issuer name. Refuses those where
 * others could read along, and those on this machine unless the server is there, too. Of an error only the code is
 * passed on: issuers and proxies repeat requests in their answers, and those hold secrets.
 */
export function oauthFetch(serverUrl: string, clock: Pick<Clock, 'after'>): FetchLike {
  const isLocal = isLoopback(new URL(serverUrl));
  return async (address, init) => {
    const url = new URL(address);
    if (!isConfidential(url) || (isLoopback(url) && !isLocal))
      throw new Error('the server names an address that must not be asked');
    const signal = limitTime(clock, TIMEOUT_MS, init?.signal ?? undefined);
    const response = await fetchWithin(MAX_ANSWER_BYTES, url, { ...init, signal });
    return response.ok || isRedirect(response) ? response : withoutText(response);
  };
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

async function withoutText(response: Response): Promise<Response> {
  const { status, headers } = response;
  const code = codeIn(await response.text().catch(() => ''));
  const kept = new Headers(headers);
  for (const name of ['content-length', 'content-encoding']) kept.delete(name);
  return new Response(code === undefined ? null : JSON.stringify({ error: code }), { status, headers: kept });
}

function codeIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' && ERROR_CODE.test(error) ? error : undefined;
  } catch {
    return undefined;
  }
}
