import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { availableProviders, PROVIDERS } from '#llm';
import { ConfigError } from './config-error.js';
import {
  loadGatewayConfig,
  loadGroupWorkerConfig,
  loadOrchestratorConfig,
  loadStandaloneConfig,
  loadToolWorkerConfig,
  type Environment,
} from './load.config.js';
import { findModelProblems } from './model-settings.js';

const SERVICES = {
  RABBITMQ_URL: 'amqp://u:p@rabbit:5672',
  MONGODB_URL: 'mongodb://a:1,b:2/switchyard?replicaSet=rs0',
};
const SECRET = 'a-secret-of-at-least-thirty-two-characters';

function problemsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('nothing was refused');
}

const standaloneProblems = (environment: Environment) => problemsOf(() => loadStandaloneConfig(environment));

describe('configuration defaults', () => {
  it('run a laptop without any setting', () => {
    expect(loadStandaloneConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: './data',
      logLevel: 'info',
      model: 'demo',
      auth: { kind: 'none' },
      corsOrigins: [],
      allowedHosts: [],
      dialects: undefined,
      toolsets: undefined,
      mcpConfig: { path: './mcp.json', isRequired: false },
      turnsPerOrchestrator: 200,
      retentionDays: undefined,
      deadLetterDays: 30,
      rabbitmqUrl: undefined,
      mongodbUrl: undefined,
      budgets: { steps: 25, turnMs: 600_000, outputTokens: 200_000, parallelCalls: 16 },
      limits: {
        connectionsPerMinute: 60,
        messagesPerMinute: 600,
        turnsAtOnce: 40,
        allConnectionsPerMinute: 6_000,
        sockets: 10_000,
        socketsPerUser: 200,
        unknownSockets: 500,
        unknownSocketsPerAddress: 20,
        streamsPerUser: 100,
        bytesPerMinute: 67_108_864,
        joinedPerSocket: 200,
        requestsPerSocket: 64,
        httpRequests: 1_000,
        httpRequestsPerUser: 100,
        unknownRequests: 200,
        unknownRequestsPerAddress: 20,
        idleConnections: 5_000,
        idleConnectionsPerAddress: 500,
        waitingTurns: 50_000,
        wrongPasswordsPerMinute: 10,
        wrongPasswordsPerAddress: 100,
        registrationsPerAddress: 100,
      },
      drainGraceMs: 10_000,
      notices: [],
    });
  });

  it('give each kind of process its own port', () => {
    expect(loadGatewayConfig(SERVICES).port).toBe(3000);
    expect(loadOrchestratorConfig(SERVICES).port).toBe(3001);
    expect(loadToolWorkerConfig(SERVICES)).toMatchObject({
      port: 3002,
      journal: { mongodbUrl: SERVICES.MONGODB_URL },
    });
  });

  it('apply to empty values too', () => {
    expect(
      loadStandaloneConfig({ PORT: '', HOST: '', AUTH: '', TOOLSETS: '', CONFIG: '', JWT_SECRET: '' }),
    ).toEqual(loadStandaloneConfig({}));
  });
});

const GROUP = { name: 'lab', toolsets: ['lab'] };

describe('a tool worker', () => {
  const { RABBITMQ_URL } = SERVICES;

  it('of a group has its name instead of a store', () => {
    const set = { RABBITMQ_URL, MONGODB_URL: '', WORKER_GROUP: 'lab-1', TOOLSETS: 'lab' };
    expect(loadToolWorkerConfig(set).journal).toEqual({ group: 'lab-1' });
    expect(loadToolWorkerConfig({ ...set, TOOLSETS: '' }).toolsets).toBeUndefined();
  });

  it.each<[string, Record<string, string>, string]>([
    ['with neither a store nor a group', {}, 'MONGODB_URL is missing'],
    ['with both', { ...SERVICES, WORKER_GROUP: 'lab', TOOLSETS: 'lab' }, 'are both set'],
    [
      'of a group with another name',
      { WORKER_GROUP: 'Lab*', TOOLSETS: 'lab' },
      'WORKER_GROUP must be the name',
    ],
  ])('%s does not start', (_, set, problem) => {
    expect(() => loadToolWorkerConfig({ RABBITMQ_URL, ...set })).toThrow(problem);
  });
});

describe('a worker of the package', () => {
  const set = { RABBITMQ_URL: SERVICES.RABBITMQ_URL, WORKER_GROUP: 'lab' };

  it('needs a broker and its group, and hosts all toolsets of its folder and its MCP servers', () => {
    expect(loadGroupWorkerConfig({ ...set, MONGODB_URL: '' })).toMatchObject({
      ...{ port: 3002, rabbitmqUrl: set.RABBITMQ_URL, group: 'lab', toolsets: undefined },
      mcpConfig: { path: './mcp.json', isRequired: false },
      toolsDir: { path: './tools', isRequired: false },
    });
    expect(problemsOf(() => loadGroupWorkerConfig({}))).toEqual([
      expect.stringContaining('RABBITMQ_URL is missing'),
      'WORKER_GROUP is missing: it must be the name of a group (a-z, 0-9, -; at most 20 characters)',
    ]);
  });

  it('refuses the address of a store, and warns of secrets that its MCP servers could read', () => {
    expect(problemsOf(() => loadGroupWorkerConfig({ ...SERVICES, ...set }))).toEqual([
      expect.stringMatching(/^MONGODB_URL is set: .* unset it$/),
    ]);
    const { notices } = loadGroupWorkerConfig({ ...set, JWT_SECRET: SECRET });
    expect(notices).toEqual([expect.stringContaining('JWT_SECRET is set, which no tool worker needs')]);
  });
});

describe('configuration values', () => {
  it('are read from the environment', () => {
    const config = loadStandaloneConfig({
      PORT: '8080',
      TOOLSETS: 'math, filesystem,math',
      CORS_ORIGINS: 'https://a.example,http://localhost:5173',
      ALLOWED_HOSTS: 'chat.example:8080,[::1]',
      MCP_CONFIG: 'servers.json',
      MODEL: 'anthropic/claude-sonnet-5-5',
      ANTHROPIC_API_KEY: 'key',
      RETENTION_DAYS: '30',
      DEAD_LETTER_DAYS: '7',
    });
    expect(config).toMatchObject({
      port: 8080,
      toolsets: ['math', 'filesystem'],
      corsOrigins: ['https://a.example', 'http://localhost:5173'],
      allowedHosts: ['chat.example:8080', '[::1]'],
      mcpConfig: { path: 'servers.json', isRequired: true },
      model: 'anthropic/claude-sonnet-5-5',
      modelEnvironment: {
        MODEL: 'anthropic/claude-sonnet-5-5',
        ANTHROPIC_API_KEY: 'key',
        OLLAMA_BASE_URL: undefined,
      },
      retentionDays: 30,
      deadLetterDays: 7,
    });
  });

  it.each<[string, string]>([
    ['PORT', '3000x'],
    ['PORT', '65536'],
    ['PORT', '0x10'],
    ['PORT', '-1'],
    ['AUTH', 'hunter2'],
    ['LOG_LEVEL', 'hunter2'],
    ['MODEL', 'hunter2'],
    ['MODEL', 'anthropic/'],
    ['RABBITMQ_URL', 'http://hunter2'],
    ['MONGODB_URL', 'mongodb://'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'https://hunter2.example/path'],
    ['ALLOWED_HOSTS', 'https://hunter2.example'],
    ['JWKS_URL', 'ftp://hunter2'],
    ['TOOLSETS', 'Hunter2,hunter2-'],
    ['DIALECTS', 'hunter2'],
    ['TURNS_PER_ORCHESTRATOR', '0'],
    ['RETENTION_DAYS', 'never'],
    ['DEAD_LETTER_DAYS', '0'],
    ['AUDIT_DAYS', '-1'],
    ['MODEL', 'gemini/'],
    ['ANTHROPIC_BASE_URL', 'hunter2'],
    ['OPENAI_BASE_URL', 'hunter2'],
    ['GEMINI_BASE_URL', 'hunter2'],
    ['OLLAMA_BASE_URL', 'ftp://hunter2'],
  ])('are refused when %s=%s, by name and without the value', (name, value) => {
    const problems = standaloneProblems({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
    expect(problems[0]).not.toContain('hunter2');
  });

  it('are refused with the list of allowed ones', () => {
    expect(standaloneProblems({ AUTH: 'jtw' })).toEqual(['AUTH must be none, local or jwt']);
    expect(
      problemsOf(() => loadGatewayConfig({ ...SERVICES, DIALECTS: 'sse,agui' }, ['sse', 'ndjson'])),
    ).toEqual(['DIALECTS names a dialect that does not exist: the existing ones are sse, ndjson']);
    expect(loadGatewayConfig({ ...SERVICES, DIALECTS: 'sse' }, ['sse', 'ndjson']).dialects).toEqual(['sse']);
  });

  it('are reported together in one readable text when several are wrong', () => {
    const message = (() => {
      try {
        loadGatewayConfig({ PORT: 'x', AUTH: 'jwt' });
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    })();
    expect(message.split('\n')).toEqual([
      '4 settings are wrong:',
      '  - PORT must be a whole number from 0 to 65535',
      '  - RABBITMQ_URL is missing: it must be a URL like amqp://user:password@host:5672',
      '  - MONGODB_URL is missing: it must be a URL like mongodb://host:27017/switchyard?replicaSet=rs0',
      '  - AUTH=jwt needs JWT_SECRET or JWKS_URL',
      'Every name is explained in .env.example and docs/operations.md.',
    ]);
  });

  it('of other apps are not required', () => {
    expect(loadOrchestratorConfig({ ...SERVICES, AUTH: 'nonsense', HOST: '0.0.0.0' }).host).toBe('0.0.0.0');
  });
});

describe('access settings', () => {
  it.each(['0.0.0.0', '::', '192.168.1.2', 'example.com', '127.0.0.1.example.com'])(
    'refuse AUTH=none on HOST=%s',
    (host) => {
      const problems = standaloneProblems({ HOST: host });
      expect(problems).toEqual([expect.stringMatching(/^AUTH=none serves every client.*HOST/)]);
    },
  );

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('accept AUTH=none on HOST=%s', (host) => {
    expect(loadStandaloneConfig({ HOST: host }).host).toBe(host);
  });

  it('require nothing for AUTH=local, and accept a long JWT_SECRET', () => {
    expect(loadStandaloneConfig({ AUTH: 'local', HOST: '0.0.0.0' })).toMatchObject({
      auth: { kind: 'local', secret: undefined },
      notices: [expect.stringContaining('/metrics is hidden')],
    });
    const named = { AUTH: 'local', JWT_SECRET: SECRET, JWT_ISSUER: 'me' };
    expect(loadStandaloneConfig(named)).toMatchObject({
      auth: { kind: 'local', secret: SECRET },
      notices: ['JWT_ISSUER set with AUTH=local: only AUTH=jwt reads it'],
    });
    expect(standaloneProblems({ AUTH: 'local', JWT_SECRET: 'short' })).toEqual([
      'JWT_SECRET must have at least 32 characters',
    ]);
  });

  it('accept addresses and networks as TRUSTED_PROXIES', () => {
    const read = (value: string) => loadStandaloneConfig({ TRUSTED_PROXIES: value }).trustedProxies;
    expect(read('127.0.0.1, 10.0.0.0/8,fd00::/8')).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
    for (const value of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '*'])
      expect(standaloneProblems({ TRUSTED_PROXIES: value })).toEqual([
        'TRUSTED_PROXIES must be comma-separated addresses or networks like 10.0.0.0/8',
      ]);
  });

  it('require exactly one source of keys for AUTH=jwt, and a long secret', () => {
    const refused = (environment: Environment) => standaloneProblems({ AUTH: 'jwt', ...environment });
    expect(refused({})).toEqual(['AUTH=jwt needs JWT_SECRET or JWKS_URL']);
    expect(refused({ JWT_SECRET: 'short-secret-of-31-characters__' })).toEqual([
      'JWT_SECRET must have at least 32 characters',
    ]);
    expect(refused({ JWT_SECRET: SECRET, JWKS_URL: 'https://a.example' })).toEqual([
      expect.stringContaining('cannot be combined'),
    ]);
    expect(
      loadStandaloneConfig({ AUTH: 'jwt', JWT_SECRET: SECRET, HOST: '0.0.0.0', JWT_ISSUER: 'me' }).auth,
    ).toEqual({
      kind: 'jwt',
      secret: SECRET,
      jwksUrl: undefined,
      issuer: 'me',
      roleClaims: ['roles', 'groups'],
      audience: undefined,
    });
  });
});

describe('a likely mistake in the configuration', () => {
  it('causes a notice when it may be intended', () => {
    const { notices } = loadStandaloneConfig({
      JWT_SECRET: SECRET,
      ANTHROPIC_API_KEY: 'k',
      RABBITMQ_URI: 'x',
      HOSTNAME: 'h',
    });
    expect(notices).toEqual([
      'RABBITMQ_URI is not a setting: did you mean RABBITMQ_URL?',
      'JWT_SECRET set with AUTH=none: no login is required',
      'ANTHROPIC_API_KEY is set and MODEL is not: the demo model answers',
    ]);
  });

  it('is reported next to the problem that it explains', () => {
    const problems = problemsOf(() =>
      loadToolWorkerConfig({ ...SERVICES, MONGODB_URL: undefined, MONGODB_URI: 'mongodb://h' }),
    );
    expect(problems).toEqual([
      expect.stringMatching(/^MONGODB_URL is missing/),
      'MONGODB_URI is not a setting: did you mean MONGODB_URL?',
    ]);
  });
});

describe('the configured model', () => {
  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY is missing: MODEL=anthropic/… needs it'],
    ['openai', 'OPENAI_API_KEY or OPENAI_BASE_URL is missing: MODEL=openai/… needs it'],
    ['gemini', 'GEMINI_API_KEY is missing: MODEL=gemini/… needs it'],
  ])('of %s requires a key', (provider, problem) => {
    expect(problemsOf(() => loadOrchestratorConfig({ ...SERVICES, MODEL: `${provider}/x` }))).toEqual([
      problem,
    ]);
  });

  it('on the operator’s own server requires no key', () => {
    const OPENAI_BASE_URL = 'http://127.0.0.1:1234/v1';
    const config = loadOrchestratorConfig({ ...SERVICES, MODEL: 'openai/qwen', OPENAI_BASE_URL });
    expect(config).toMatchObject({ model: 'openai/qwen', modelEnvironment: { OPENAI_BASE_URL } });
    const { modelEnvironment } = loadOrchestratorConfig({ ...SERVICES, MODEL: 'ollama/qwen3:8b' });
    expect(modelEnvironment.OLLAMA_BASE_URL).toBeUndefined();
  });

  it('of any provider is checked here as where it is opened', () => {
    for (const { name: provider } of PROVIDERS) {
      const MODEL = `${provider}/x`;
      expect([provider, findModelProblems({ MODEL }).length > 0]).toEqual([
        provider,
        availableProviders({ MODEL }).length === 0,
      ]);
    }
  });
});

it('only the process that deletes logs the retention at start', () => {
  const env = { ...SERVICES, RETENTION_DAYS: '30' };
  expect(loadOrchestratorConfig(env).notices).toEqual([expect.stringContaining('for 30 days are deleted')]);
  expect(loadGatewayConfig(env).notices).toEqual([]);
});

describe('settings and policy files', () => {
  let folder: string;
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each<[string, unknown, string]>([
    ['with a toolset twice', [{ ...GROUP, toolsets: ['a', 'a'] }], 'a is in lab and lab'],
    [
      'that share a toolset',
      [GROUP, { ...GROUP, name: 'other' }],
      'must not share a toolset: lab is in lab and other',
    ],
    ['of one name', [GROUP, { ...GROUP, toolsets: ['other'] }], 'must have different names'],
    ['whose name is no name', [{ ...GROUP, name: 'a--b' }], 'groups.0.name'],
    [
      'whose name has a space',
      [{ ...GROUP, name: 'two words' }],
      'groups.0.name must be the name of a group (a-z, 0-9, -; at most 20 characters) (see docs/worker-groups.md)',
    ],
  ])('refuses groups %s', (_, groups, problem) => {
    const CONFIG = write('groups.json', JSON.stringify({ groups }));
    expect(() => loadOrchestratorConfig({ ...SERVICES, CONFIG })).toThrow(problem);
  });

  it.each<[string, object, string]>([
    ['roles', { tools: { shop: { roles: 'chief' } } }, 'docs/accounts.md'],
    ['approvers', { tools: { shop: { approvers: [] } } }, 'docs/accounts.md'],
    ['quarantine', { quarantine: 'yes' }, 'docs/tools.md'],
  ])('name the document that explains %s', (_, settings, document) => {
    const CONFIG = write('wrong.json', JSON.stringify(settings));
    const problems = problemsOf(() => loadOrchestratorConfig({ ...SERVICES, CONFIG }));
    expect(problems).toEqual([expect.stringMatching(new RegExp(`\\(see ${document}\\)$`))]);
  });

  it.each<[string, object, string[]]>([
    ['an empty approver', { shop: { approvers: [''] } }, ['tools.shop.approvers.0 must not be empty']],
    [
      'approvers whom nobody asks',
      { shop: { approvers: ['chief'], approve: 'never' } },
      ['tools.shop.approvers would never be asked: approve is never. Take out one of the two'],
    ],
    [
      'approvers of a tool whose toolset is never approved',
      { shop: { approve: false }, 'shop.pay': { approvers: ['chief'] } },
      ['tools.shop.pay.approvers would never be asked: approve of shop is never. Set approve of shop.pay'],
    ],
    [
      'approvers who are asked for some users only',
      { shop: { approve: 'never', approvers: ['chief'], approve_for: { intern: 'always' } } },
      [],
    ],
    [
      'a tool whose toolset has approvers',
      { shop: { approvers: ['c'] }, 'shop.a': { approve: 'never' } },
      [],
    ],
  ])('say once what is wrong with %s', (_, tools, expected) => {
    const CONFIG = write('approvers.json', JSON.stringify({ tools }));
    const load = () => loadOrchestratorConfig({ ...SERVICES, CONFIG });
    if (expected.length === 0) return void load();
    expect(problemsOf(load)).toEqual(
      expected.map((text) => `${CONFIG} (CONFIG): ${text} (see docs/accounts.md)`),
    );
  });

  it('set budgets, limits, tools and the grace time', () => {
    const settings = {
      budgets: { steps: 5, turn_minutes: 0.5 },
      tools: { math: { class: 'read', concurrency: 4 }, 'math.add': { timeout_ms: 100, approve: true } },
      drain: { grace_ms: 50 },
    };
    const config = loadToolWorkerConfig({ ...SERVICES, CONFIG: write('c.json', JSON.stringify(settings)) });
    expect(config.budgets).toEqual({
      ...{ steps: 5, turnMs: 30_000, outputTokens: 200_000, parallelCalls: 16 },
      ...{ takeovers: 5, takeoverWindowMs: 60_000, callAttempts: 3, modelRetries: 5, overloadRetries: 1 },
      ...{ queueingMs: 60_000, approvalMs: 7 * 24 * 3_600_000 },
      ...{ identicalCalls: 2, thinkingCalls: 20 },
    });
    expect(config.tools.get('math')).toEqual({ class: 'read', concurrency: 4 });
    expect(config.drainGraceMs).toBe(50);
  });

  it('set attempts and deadlines', () => {
    const settings = {
      attempts: { turn_takeovers: 2, turn_takeover_seconds: 3, tool_call: 1, model_retries: 0 },
      deadlines: { queueing_ms: 4, approval_hours: 0.5, question_minutes: 2 },
    };
    const config = loadOrchestratorConfig({ ...SERVICES, CONFIG: write('c.json', JSON.stringify(settings)) });
    expect(config.budgets).toMatchObject({
      ...{ takeovers: 2, takeoverWindowMs: 3_000, callAttempts: 1, modelRetries: 0 },
      ...{ queueingMs: 4, approvalMs: 1_800_000 },
    });
    expect(config.questionMs).toBe(120_000);
  });

  it('with an unknown key are refused by its name, at every level', () => {
    const settings = { budget: {}, budgets: { step: 5 }, tools: { math: { classs: 'read' }, Math: {} } };
    const text = standaloneProblems({ CONFIG: write('c.json', JSON.stringify(settings)) }).join('\n');
    for (const key of ['"budget"', '"step"', '"classs"', 'Math']) expect(text).toContain(key);
    expect(text).toContain('tools.math');
  });

  it('with a wrong value are refused by its path and without the value', () => {
    const settings = {
      budgets: { steps: 'hunter2' },
      tools: { math: { class: 'hunter2', approve: 'hunter2' } },
      approve: { once: 'hunter2' },
    };
    const problems = standaloneProblems({ CONFIG: write('c.json', JSON.stringify(settings)) });
    expect(problems).toEqual([
      expect.stringContaining(`${join(folder, 'c.json')} (CONFIG): budgets.steps`),
      expect.stringContaining('tools.math.class'),
      expect.stringMatching(/tools\.math\.approve.*must be always, first or never/),
      expect.stringMatching(/approve\.once.*must be always, first or never/),
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it('that are not JSON are refused without quoting them', () => {
    expect(standaloneProblems({ CONFIG: write('c.json', '{ "secret": hunter2 }') })).toEqual([
      `${join(folder, 'c.json')} (CONFIG) is not valid JSON`,
    ]);
  });

  it('must exist when a variable names them', () => {
    const missing = join(folder, 'missing');
    expect(standaloneProblems({ CONFIG: missing, SYSTEM_PROMPT_FILE: folder })).toEqual([
      `${missing} (CONFIG) does not exist`,
      'The file that SYSTEM_PROMPT_FILE names cannot be read',
    ]);
  });

  it('can contain the system prompt, but not together with SYSTEM_PROMPT', () => {
    const path = write('prompt.txt', 'Be brief.');
    expect(loadOrchestratorConfig({ ...SERVICES, SYSTEM_PROMPT_FILE: path }).systemPrompt).toBe('Be brief.');
    expect(loadOrchestratorConfig({ ...SERVICES, SYSTEM_PROMPT: 'Be kind.' }).systemPrompt).toBe('Be kind.');
    expect(standaloneProblems({ SYSTEM_PROMPT_FILE: path, SYSTEM_PROMPT: 'x' })).toEqual([
      expect.stringContaining('cannot be combined'),
    ]);
  });
});

describe('a tool worker that is given secrets of other processes', () => {
  const MESSAGE = 'set, which no tool worker needs: the MCP servers that it starts could read';

  it('lists them by name, never with the value', () => {
    const { notices } = loadToolWorkerConfig({ ...SERVICES, OPENAI_API_KEY: 'sk-1', JWT_SECRET: SECRET });
    expect(notices).toEqual([`OPENAI_API_KEY, JWT_SECRET are ${MESSAGE} them`]);
  });

  it('does not list its own variables', () => {
    expect(loadToolWorkerConfig({ ...SERVICES, OPENAI_API_KEY: '', TOOLSETS: 'math' }).notices).toEqual([]);
  });
});

describe('the keys of tokens', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64');
  const PUBLIC_URL = 'https://chat.example.com';

  it('are read by gateways and tool workers, together with the address of the page', () => {
    const set = { ...SERVICES, TOKEN_KEYS: `${KEY}, ${KEY.replace('B', 'C')}`, PUBLIC_URL };
    const connections = { tokenKeys: [KEY, KEY.replace('B', 'C')], publicUrl: PUBLIC_URL };
    for (const load of [loadGatewayConfig, loadToolWorkerConfig, loadStandaloneConfig])
      expect(load(set)).toMatchObject({ connections });
    expect(loadStandaloneConfig({}).connections).toEqual({ tokenKeys: undefined, publicUrl: undefined });
    expect(loadGroupWorkerConfig({ ...set, MONGODB_URL: '', WORKER_GROUP: 'lab' })).not.toHaveProperty(
      'connections',
    );
  });

  it.each([
    [{ TOKEN_KEYS: 's3cret', PUBLIC_URL }, /^TOKEN_KEYS must be .*32 bytes/],
    [{ TOKEN_KEYS: KEY }, /^PUBLIC_URL is missing/],
    ...[
      'http://chat.example.com',
      'https://chat.example.com/chat',
      'chat.example.com',
      'ftp://localhost',
    ].map((url) => [{ TOKEN_KEYS: KEY, PUBLIC_URL: url }, /^PUBLIC_URL must be the origin/] as const),
  ])('refuses %j', (environment, problem) => {
    const problems = standaloneProblems(environment);
    expect(problems).toEqual([expect.stringMatching(problem)]);
    expect(problems.join()).not.toContain('s3cret');
  });

  it('may be used on this machine without encryption on the way', () => {
    const set = { TOKEN_KEYS: KEY, PUBLIC_URL: 'http://localhost:3000' };
    expect(loadStandaloneConfig(set).connections.publicUrl).toBe('http://localhost:3000');
  });
});
