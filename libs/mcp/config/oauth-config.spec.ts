import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { systemTime } from '#time';
import { createMcpToolsets } from '../create-mcp-toolsets.js';
import { recordingLogger } from '../testing/fixture.js';
import { parseMcpConfig } from './mcp-config.js';

const folder = mkdtempSync(join(tmpdir(), 'switchyard-oauth-config-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, content: string) => writeFileSync(join(folder, name), content);
file('tools.json', JSON.stringify({ tools: [{ name: 'add', inputSchema: { type: 'object' } }] }));
file('wrong.json', JSON.stringify({ tools: [{ name: 's3cret' }] }));
file('text.json', 's3cret');

const URL = 'https://crm.example.com/mcp';
const parse = (oauth: object, more: object = {}) => {
  const server = { url: URL, scope: 'user', oauth, ...more };
  return parseMcpConfig(JSON.stringify({ mcpServers: { crm: server } }), join(folder, 'mcp.json'), {
    T: 's3cret',
  });
};

describe('a server that acts for a person', () => {
  it('has a list of tools from a file beside the configuration, or a token to list them', () => {
    expect(parse({ tools: 'tools.json', scope: 'read', callbackPort: 1 })).toMatchObject([
      { name: 'crm', oauth: { scope: 'read', tools: [{ name: 'add', inputSchema: { type: 'object' } }] } },
    ]);
    expect(parse({ serviceToken: '${T}' })).toMatchObject([{ oauth: { serviceToken: 's3cret' } }]);
  });

  const tools = 'tools.json';
  it.each([
    [{ tools }, { scope: 'shared' }, /oauth needs "scope": "user"/],
    [{ tools }, { scope: 'conversation' }, /oauth needs "scope": "user"/],
    [{}, {}, /oauth needs either "tools".*or "serviceToken"/],
    [{ tools, serviceToken: 's3cret' }, {}, /oauth needs either/],
    [{ tools, clientSecret: 's3cret' }, {}, /which need "clientId"/],
    [{ tools, clientId: 'a', clientSecret: 's3cret' }, {}, /which needs "issuer"/],
    [{ tools }, { headers: { authorization: 's3cret' } }, /excludes a header "Authorization"/],
    [{ tools }, { url: 'http://crm.example.com/mcp' }, /needs an https:\/\/ address/],
    [{ tools }, { url: `${URL}/\${SWITCHYARD_OWNER}` }, /excludes SWITCHYARD_OWNER in "url"/],
    [{ tools, clientMetadataUrl: 'http://s3cret.example' }, {}, /clientMetadataUrl/],
    [{ tools: 'none.json' }, {}, /oauth\.tools cannot be read: .*none\.json \(ENOENT\)/],
    [{ tools, client_secret: 's3cret' }, {}, /oauth: .*"client_secret"/],
    [{ tools }, { url: undefined, command: 'crm' }, /oauth needs "url"/],
    [{ tools: 'text.json' }, {}, /oauth\.tools is not JSON/],
    [{ tools: 'wrong.json' }, {}, /oauth\.tools is no result of tools\/list/],
  ])('is refused at the start: %j %j', (oauth, more, sentence) => {
    let said = '';
    try {
      parse(oauth, more);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(sentence);
    expect(said).toContain('mcpServers.crm');
    expect(said).not.toContain('s3cret');
  });

  it('is refused where tokens cannot be kept: without a key, an address of the page, or the store', () => {
    const servers = parse({ tools });
    expect(() => createMcpToolsets(servers, recordingLogger(), systemTime())).toThrow(
      'The MCP server crm acts for a person ("oauth"): that needs TOKEN_KEYS, PUBLIC_URL and the store',
    );
  });
});
