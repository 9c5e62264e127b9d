import type { FetchLike } from '@modelcontextprotocol/client';
import { limitTime, type Clock } from '#time';
import { limitedFetch } from '../limits/limited-fetch.js';

/** Shorter than a claim to refresh tokens lasts. */
const TIMEOUT_MS = 15_000;

/** `fetch` for requests to issuers. The SDK follows redirects only within the origin of a request. */
export function oauthFetch(clock: Pick<Clock, 'after'>): FetchLike {
  return (url, init) => {
    const signal = limitTime(clock, TIMEOUT_MS, init?.signal ?? undefined);
    return limitedFetch(url, { ...init, signal });
  };
}
