/* Over streamable HTTP, at PORT: 2026-07-28 only. Requests without the token in TOKEN are refused. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { scriptedServer } from './scripted-tools.mjs';

const handler = createMcpHandler(scriptedServer, { legacy: 'reject' });
const { PORT, TOKEN } = process.env;
let listings = 0;

const server = createServer(async (request, response) => {
  if (request.url === '/listings') return response.end(String(listings));
  if (TOKEN && request.headers.authorization !== `Bearer ${TOKEN}`) return response.writeHead(401).end();
  if (request.headers['mcp-method'] === 'tools/list') listings++;
  const hasBody = request.method === 'POST';
  const answer = await handler.fetch(
    new globalThis.Request(`http://127.0.0.1:${PORT}${request.url}`, {
      method: request.method,
      headers: request.headers,
      ...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body)
    Readable.fromWeb(answer.body)
      .on('error', () => response.destroy())
      .pipe(response);
  else response.end();
});
server.listen(Number(PORT), '127.0.0.1', () => process.stderr.write('listening\n'));
