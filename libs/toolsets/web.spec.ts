import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { plainText } from '#contracts';
import { SystemClock } from '#time';
import { bytesInUse } from '../../test/services/heap.js';
import { SEARCH_RESULTS_PAGE } from './testing/search-results-page.js';
import { toolContext } from './testing/tool-context.js';
import { parseResultsPage } from './web-results-page.js';
import { createWebToolset } from './web.js';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function searchAt(answer: RequestListener, query = 'switchyard', requestTimeoutMs = 5000) {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return search(`http://127.0.0.1:${port}/html/`, query, requestTimeoutMs);
}

function search(searchUrl: string, query: string, requestTimeoutMs = 5000) {
  const [tool] = createWebToolset({ clock: new SystemClock(), searchUrl, requestTimeoutMs }).tools();
  return tool!.run({ query }, toolContext());
}

describe('web_search', () => {
  it('returns snippet, title and link of each result, without advertisements and odd links', async () => {
    let asked: string | undefined;
    const result = await searchAt((request, response) => {
      asked = request.url;
      response.end(SEARCH_RESULTS_PAGE);
    }, 'what is a "switchyard"?');
    expect(new URL(asked!, 'http://x').searchParams.get('q')).toBe('what is a "switchyard"?');
    expect(JSON.parse(plainText(result))).toEqual([
      {
        snippet: "A switchyard is a part of a substation's area <where lines meet>.",
        title: 'Electrical substation & switchyard / Wikipedia',
        link: 'https://en.wikipedia.org/wiki/Electrical_substation?a=1&b=2',
      },
      { snippet: '', title: 'Without a redirect', link: 'https://plain.example/page' },
    ]);
  });

  it('returns an empty result without an error when nothing is found', async () => {
    const nothing = '<div class="no-results">No results found for xyzzy</div>';
    expect(plainText(await searchAt((_request, response) => response.end(nothing)))).toBe('[]');
  });

  it.each([
    ['a captcha', 200, '<form id="challenge-form" class="anomaly-modal__form"></form>', 'ApiLimitExceeded'],
    ['status 202', 202, SEARCH_RESULTS_PAGE, 'ApiLimitExceeded'],
    ['status 429', 429, '', 'ApiLimitExceeded'],
    ['status 500', 500, '', 'DependencyUnavailable'],
    ['an endless page', 200, 'x'.repeat(3_000_000), 'DependencyUnavailable'],
  ])('fails with an error type when it gets %s', async (_what, status, body, type) => {
    const answered = searchAt((_request, response) =>
      response.writeHead(status, { 'retry-after': '3' }).end(body),
    );
    await expect(answered).rejects.toMatchObject({ detail: { error_type: type } });
  });

  it('passes on the time to wait', async () => {
    const answered = searchAt((_request, response) => response.writeHead(429, { 'retry-after': '3' }).end());
    await expect(answered).rejects.toMatchObject({ detail: { error_details: { retry_after_ms: 3000 } } });
  });

  it('does not search again before the requested time', async () => {
    let asked = 0;
    server = createServer((_request, response) => {
      asked++;
      response.writeHead(429, { 'retry-after': '60' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [tool] = createWebToolset({
      clock: new SystemClock(),
      searchUrl: `http://127.0.0.1:${port}/`,
    }).tools();
    for (let n = 0; n < 2; n++) {
      await expect(tool!.run({ query: 'x' }, toolContext())).rejects.toMatchObject({
        detail: { error_type: 'ApiLimitExceeded', error_details: { retry_after_ms: expect.any(Number) } },
      });
    }
    expect(asked).toBe(1);
  });

  it('fails when the server does not answer, or not in time', async () => {
    await expect(search('http://127.0.0.1:1/', 'x')).rejects.toMatchObject({
      detail: { error_type: 'DependencyUnavailable', error_message: 'The search engine cannot be reached.' },
    });
    // Nor does a collection of garbage meanwhile take the limit away.
    await expect(searchAt(() => void bytesInUse(), 'x', 300)).rejects.toMatchObject({
      detail: {
        error_type: 'DependencyUnavailable',
        error_message: 'The search engine did not answer in time.',
      },
    });
  });

  it('refuses an empty question', async () => {
    await expect(search('http://127.0.0.1:1/', ' ')).rejects.toMatchObject({
      detail: { error_type: 'ValidationError' },
    });
  });
});

describe('parseResultsPage', () => {
  it('returns at most ten results', () => {
    const result = '<a class="result__a" href="https://x.example/">t</a>';
    expect(parseResultsPage(result.repeat(30))).toHaveLength(10);
  });

  // Else each tag, and each title, of a hostile page would be looked for in all of its rest: time squared.
  it('searches for the end of a tag only up to the next one', () => {
    const parse = (title: string) =>
      parseResultsPage(`<a title="${title}" class="result__a" href="https://x.example/">t</a>`);
    expect(parse('a')).toHaveLength(1);
    expect(parse('<')).toBeUndefined();
  });

  it('searches for the end of a title in the next 10,000 characters', () => {
    const parse = (tags: number) =>
      parseResultsPage(
        `<a class="result__a" href="https://x.example/">${'<wbr>'.repeat(tags)}${'late'.repeat(100)}</a>`,
      );
    expect(parse(1_999)).toMatchObject([{ title: 'latel' }]);
    expect(parse(2_000)).toEqual([]);
  });
});
