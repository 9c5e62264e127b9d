import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { SystemClock } from '#time';
import { bytesInUse } from '../../test/services/heap.js';
import { runTool } from '../tools/testing/index.js';
import type { RequestGuard } from './guarded-request.js';
import { createHttpToolset, type HttpOptions } from './http.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<{ host: string; port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, port, asked };
}

const fetchWith = (options: Omit<HttpOptions, 'clock'>, url: string, method?: string) => {
  const [tool] = createHttpToolset({ clock: new SystemClock(), ...options }).tools();
  return runTool(tool!, { url, ...(method ? { method } : {}) });
};

/** A name server with one answer for everything. */
const resolvingTo = (...addresses: string[]) => {
  let asked = 0;
  const lookup = ((_host: string, options: { all?: boolean }, callback: (...args: unknown[]) => void) => {
    const address = addresses[Math.min(asked++, addresses.length - 1)]!;
    const family = address.includes(':') ? 6 : 4;
    if (options.all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  }) as unknown as RequestGuard['lookup'];
  return lookup;
};

const page =
  '<html><head><title>A &amp; B</title><script>evil()</script></head><body><h1>Hello</h1><p>One <b>two</b></p>' +
  '<ul><li><a href="/next">more</a></li><li><a href="javascript:x()">no</a></li></ul></body></html>';

describe('http.fetch', () => {
  it('reads a page as text, with its links', async () => {
    const { host } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
    );
    const { data } = await fetchWith({ allow: [host] }, `http://${host}/`);
    expect(data).toMatchObject({
      status: 200,
      title: 'A & B',
      text: `# Hello\nOne two\n- more (http://${host}/next)\n- no`,
    });
  });

  it('decompresses, respects the character set, and returns only type and size of other content', async () => {
    const { host } = await serve(({ url }, response) => {
      if (url === '/packed')
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      else if (url === '/latin')
        response.writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' });
      else response.writeHead(200, { 'content-type': 'image/png' });
      response.end(url === '/packed' ? gzipSync('{"a":1}') : Buffer.from([0xe4, 0xf6]));
    });
    const get = async (path: string) => (await fetchWith({ allow: [host] }, `http://${host}${path}`)).data;
    expect(await get('/packed')).toMatchObject({ text: '{"a":1}', size: 7 });
    expect(await get('/latin')).toMatchObject({ text: 'äö' });
    const image = await get('/image');
    expect(image).toMatchObject({
      content_type: 'image/png',
      size: 2,
      note: expect.stringContaining('not text'),
    });
    expect(image).not.toHaveProperty('text');
  });

  it.each([
    [
      'elements within elements',
      '<p>start</p>' + '<div>'.repeat(200_000),
      { text: 'start', note: /nests too deeply/ },
    ],
    [
      'links within links',
      '<p>start</p>' + '<a href="/x">'.repeat(70_000),
      { text: 'start', note: /nests too deeply/ },
    ],
    [
      'closing tags without opening ones',
      '<i>'.repeat(900) + '</b>'.repeat(250_000) + 'end',
      { text: 'end' },
    ],
    ['long lines of punctuation', `<p>${'#-|'.repeat(100_000)}x</p>`, { text: /^#-\|/ }],
    ['many attributes', `<p ${'a=1 '.repeat(100_000)}>end`, { text: 'end' }],
  ])('reads a page made to be slow, of %s, within its limits', async (_what, page, expected) => {
    const { host } = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    );
    const { data } = await fetchWith({ allow: [host] }, `http://${host}/`);
    for (const [name, value] of Object.entries(expected))
      expect(data![name]).toEqual(value instanceof RegExp ? expect.stringMatching(value) : value);
  });

  it('reads a page with a false Content-Encoding as it is', async () => {
    const { host } = await serve(({ url }, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': url!.slice(1) })
        .end('as it is'),
    );
    for (const encoding of ['identity', 'constructor', '__proto__']) {
      const { data } = await fetchWith({ allow: [host] }, `http://${host}/${encoding}`);
      expect([encoding, data?.text]).toEqual([encoding, 'as it is']);
    }
  });

  it('returns an error page as a result, and requests only headers with HEAD', async () => {
    const { host } = await serve(({ method }, response) =>
      response
        .writeHead(404, { 'content-type': 'text/plain', 'content-length': '4' })
        .end(method === 'HEAD' ? undefined : 'gone'),
    );
    const allow = [host];
    expect((await fetchWith({ allow }, `http://${host}/`)).data).toMatchObject({ status: 404, text: 'gone' });
    expect((await fetchWith({ allow }, `http://${host}/`, 'HEAD')).data).toEqual({
      url: `http://${host}/`,
      status: 404,
      content_type: 'text/plain',
      size: 4,
    });
    const posted = await fetchWith({ allow }, `http://${host}/`, 'POST');
    expect(posted.error?.error_type).toBe('ValidationError');
  });

  it('passes on the time to wait', async () => {
    const { host } = await serve((_request, response) =>
      response.writeHead(429, { 'retry-after': '7' }).end(),
    );
    expect((await fetchWith({ allow: [host] }, `http://${host}/`)).error).toMatchObject({
      error_type: 'ApiLimitExceeded',
      error_details: { retry_after_ms: 7000 },
    });
  });

  it('gives up on a server that does not answer, and on an unreachable one', async () => {
    // Nor does a collection of garbage meanwhile take the limit away.
    const { host } = await serve(() => void bytesInUse());
    const options = { allow: [host], requestTimeoutMs: 300 };
    expect((await fetchWith(options, `http://${host}/`)).error).toMatchObject({
      error_type: 'DependencyUnavailable',
      error_message: 'The server did not answer in time.',
    });
    expect((await fetchWith({ allow: ['127.0.0.1:1'] }, 'http://127.0.0.1:1/')).error).toMatchObject({
      error_type: 'DependencyUnavailable',
      error_message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('stops reading at 5 MiB, even of decompressed content', async () => {
    const { host } = await serve(({ url }, response) => {
      const headers = { 'content-type': 'text/plain' };
      const large = Buffer.alloc(6 * 1024 * 1024, 'a');
      if (url === '/packed')
        response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(large));
      else response.writeHead(200, headers).end(large);
    });
    for (const path of ['/', '/packed']) {
      expect((await fetchWith({ allow: [host] }, `http://${host}${path}`)).error).toMatchObject({
        error_type: 'ToolExecutionError',
        error_message: expect.stringContaining('larger'),
      });
    }
  });
});

describe('the guard of http.fetch', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://224.0.0.1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::127.0.0.1]/',
    'http://[::a9fe:a9fe]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'https://127.0.0.1/',
  ])('refuses %s', async (url) => {
    expect((await fetchWith({}, url)).error).toMatchObject({
      error_type: 'PermissionError',
      error_message: expect.stringContaining('not a public address'),
    });
  });

  it.each([
    ['ftp://example.com/', 'http://'],
    ['file:///etc/passwd', 'http://'],
    ['data:text/plain,hello', 'http://'],
    ['http://user:secret@example.com/', 'user name'],
    ['http://example.com:6379/', 'Port 6379'],
    ['http://example.com:22/', 'Port 22'],
  ])('refuses %s before any lookup', async (url, reason) => {
    const lookup = (() => {
      throw new Error('asked');
    }) as unknown as RequestGuard['lookup'];
    const { error } = await fetchWith({ lookup }, url);
    expect(error).toMatchObject({
      error_type: 'PermissionError',
      error_message: expect.stringContaining(reason),
    });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  it.each([
    '127.0.0.1',
    '169.254.169.254',
    '::1',
    '::127.0.0.1',
    '::7f00:1',
    '::a00:1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    'fd12::1',
  ])('refuses a name that resolves to %s, without revealing the address', async (address) => {
    const { error } = await fetchWith({ lookup: resolvingTo(address) }, 'http://inside.example/');
    expect(error).toEqual({
      error_type: 'PermissionError',
      error_message: 'inside.example is not a public address.',
    });
  });

  it('checks the address of the connection, not one that was resolved before', async () => {
    const { port, asked } = await serve((_request, response) => response.end('inside'));
    const allow = [`first.example:${port}`];
    const redirecting = await serve((_request, response) =>
      response.writeHead(302, { location: 'http://rebound.example:8080/' }).end(),
    );
    const lookup = resolvingTo('127.0.0.1');
    const options = { allow: [...allow, redirecting.host], lookup };
    expect((await fetchWith(options, `http://first.example:${port}/`)).data).toMatchObject({
      text: 'inside',
    });
    const { error } = await fetchWith(options, `http://${redirecting.host}/`);
    expect(error).toMatchObject({ error_type: 'PermissionError' });
    expect(asked).toEqual(['/']);
  });

  it('checks every redirect like the first address', async () => {
    const inside = await serve((_request, response) => response.end('inside'));
    const targets: Record<string, string> = {
      '/private': `http://${inside.host}/`,
      '/file': 'file:///etc/passwd',
      '/user': 'http://user@example.com/',
      '/relative': '/end',
    };
    const outside = await serve(({ url }, response) =>
      url === '/end' ? response.end('end') : response.writeHead(302, { location: targets[url!] }).end(),
    );
    const get = (path: string) => fetchWith({ allow: [outside.host] }, `http://${outside.host}${path}`);
    for (const path of ['/private', '/file', '/user'])
      expect((await get(path)).error?.error_type).toBe('PermissionError');
    expect(inside.asked).toEqual([]);
    expect((await get('/relative')).data).toMatchObject({ url: `http://${outside.host}/end`, text: 'end' });
  });

  it('follows five redirects and no more', async () => {
    const { host, asked } = await serve(({ url }, response) =>
      response.writeHead(301, { location: `/${Number(url!.slice(1)) + 1}` }).end(),
    );
    const { error } = await fetchWith({ allow: [host] }, `http://${host}/0`);
    expect(error).toMatchObject({ error_message: expect.stringContaining('redirects more than 5 times') });
    expect(asked).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
  });
});
