import { z } from 'zod';
import type { ErrorDetail, ErrorType } from '#contracts';
import { limitTime, type Clock } from '#time';
import { defineTool, defineToolset, ToolError, type ToolsetHost } from '#tools';
import { refuseEmptyQuery } from './empty-query.js';
import { parseRetryAfterMs } from './retry-after.js';
import { SearchPace } from './search-pace.js';
import { parseResultsPage, type WebResult } from './web-results-page.js';

export interface WebOptions {
  clock: Clock;
  /** A search page that answers `?q=` as DuckDuckGo's page without scripts does. */
  searchUrl?: string;
  requestTimeoutMs?: number;
}

const DEFAULT_SEARCH_URL = 'https://html.duckduckgo.com/html/';
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
const MAX_QUERY_LENGTH = 500;

export function createWebToolset({
  clock,
  searchUrl = DEFAULT_SEARCH_URL,
  requestTimeoutMs = 15_000,
}: WebOptions): ToolsetHost {
  const engine = { url: searchUrl, pace: new SearchPace(clock), clock };
  return defineToolset({
    name: 'web',
    version: '1.0.0',
    tools: [
      defineTool({
        name: 'web_search',
        description:
          'Searches the web. Returns up to ten results with title, link and a snippet of the page.',
        input: z.strictObject({ query: z.string().describe('What to search for') }),
        class: 'read',
        timeoutMs: 30_000,
        run: ({ query }, { signal }) => searchWeb(engine, query, limitTime(clock, requestTimeoutMs, signal)),
      }),
    ],
  });
}

interface Engine {
  url: string;
  pace: SearchPace;
  clock: Clock;
}

async function searchWeb(engine: Engine, query: string, signal: AbortSignal): Promise<WebResult[]> {
  refuseEmptyQuery(query);
  const url = new URL(engine.url);
  url.searchParams.set('q', query.slice(0, MAX_QUERY_LENGTH));
  const waitMs = engine.pace.take();
  if (waitMs > 0)
    throw failed('ApiLimitExceeded', 'Too many searches right now.', { retry_after_ms: waitMs });
  const page = await loadPage(engine, url, signal);
  const results = parseResultsPage(page);
  if (!results)
    throw failed('ApiLimitExceeded', 'The search engine is refusing automatic requests right now.');
  return results;
}

async function loadPage(engine: Engine, url: URL, signal: AbortSignal): Promise<string> {
  try {
    const headers = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 (compatible; Switchyard)' };
    const response = await fetch(url, { headers, signal });
    checkStatus(response, engine);
    return await readText(response);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    // The worker handles stopped calls, so here only the request's own limit remains.
    const isLate = signal.aborted;
    throw failed(
      'DependencyUnavailable',
      isLate ? 'The search engine did not answer in time.' : 'The search engine cannot be reached.',
    );
  }
}

function checkStatus(response: Response, { pace, clock }: Engine): void {
  const { status, headers } = response;
  if (status === 200) return;
  // DuckDuckGo answers with 202 to clients that it takes for robots.
  if (status === 202 || status === 403 || status === 429) {
    const retry_after_ms = parseRetryAfterMs(headers.get('retry-after'), clock.wall());
    if (retry_after_ms !== undefined) pace.pause(retry_after_ms);
    const details = retry_after_ms === undefined ? undefined : { retry_after_ms };
    throw failed('ApiLimitExceeded', 'The search engine is refusing automatic requests right now.', details);
  }
  throw failed('DependencyUnavailable', `The search engine answered with status ${status}.`);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_PAGE_BYTES)
      throw failed('DependencyUnavailable', 'The answer of the search engine is too large.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

function failed(
  error_type: ErrorType,
  error_message: string,
  error_details?: ErrorDetail['error_details'],
): ToolError {
  return new ToolError({ error_type, error_message, error_details });
}
