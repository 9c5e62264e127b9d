import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface ComposeService {
  image?: string;
  command?: string[];
  environment?: Record<string, string | number | null>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  network_mode?: string;
  ports?: string[];
  privileged?: boolean;
  mem_limit?: string;
  pids_limit?: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, ComposeService> };
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const ours = Object.entries(services).filter(([, { image }]) => image === 'switchyard');

/** The names of README.md, "Configuration", that these processes read. */
const documentedNames = [
  'PORT',
  'HOST',
  'OPS_PORT',
  'OPS_HOST',
  'DATA_DIR',
  'RABBITMQ_URL',
  'MONGODB_URL',
  'MODEL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'GEMINI_API_KEY',
  'GEMINI_BASE_URL',
  'OLLAMA_BASE_URL',
  'SYSTEM_PROMPT',
  'SYSTEM_PROMPT_FILE',
  'MCP_CONFIG',
  'TOOLSETS',
  'DOCS_DIR',
  'CONFIG',
  'AUTH',
  'JWT_SECRET',
  'JWKS_URL',
  'JWT_ISSUER',
  'JWT_AUDIENCE',
  'CORS_ORIGINS',
  'ALLOWED_HOSTS',
  'DIALECTS',
  'LOG_LEVEL',
];

describe('docker-compose.yml', () => {
  test('runs two of each kind of process, with both gateways on ports of their own', () => {
    const replicas = Object.fromEntries(ours.map(([name, { deploy }]) => [name, deploy?.replicas ?? 1]));
    expect(replicas).toEqual({ 'gateway-1': 1, 'gateway-2': 1, orchestrator: 2, 'tool-worker': 2 });
    const published = ours.flatMap(([, { ports = [] }]) => ports.map((port) => port.split(':').at(-2)));
    expect(published).toEqual(['3000', '3010']);
  });

  test.each(Object.entries(services))('checks the health of %s', (_name, { image, healthcheck }) => {
    if (image === 'switchyard') expect(dockerfile).toMatch(/^HEALTHCHECK/m);
    else expect(healthcheck?.test[0]).toBe('CMD');
  });

  test('starts processes when broker and store are healthy', () => {
    for (const [, { depends_on: needs }] of ours) {
      expect(needs).toEqual({
        mongo: { condition: 'service_healthy' },
        rabbitmq: { condition: 'service_healthy' },
      });
    }
  });

  test('publishes on the loopback address only unless configured otherwise, and never uses the host network', () => {
    for (const { ports = [], network_mode: mode, privileged } of Object.values(services)) {
      expect(mode).toBeUndefined();
      expect(privileged).toBeUndefined();
      for (const port of ports) expect(port).toMatch(/^\$\{\w+_ADDRESS:-127\.0\.0\.1\}:\d+:\d+$/);
    }
  });

  test('publishes only gateways at PUBLISH_ADDRESS', () => {
    const published = Object.entries(services).filter(([, { ports = [] }]) =>
      ports.some((port) => port.includes('PUBLISH_ADDRESS')),
    );
    expect(published.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2']);
  });

  test('serves health and metrics at a port that is not published', () => {
    for (const [, { environment = {}, ports = [] }] of ours) {
      expect(environment.OPS_PORT).toBeGreaterThan(0);
      expect(environment.OPS_PORT).not.toBe(environment.PORT);
      for (const port of ports) expect(port.split(':').at(-1)).not.toBe(String(environment.OPS_PORT));
    }
  });

  test('is scraped by deploy/prometheus at that port', () => {
    const config = readFileSync(join(root, 'deploy/prometheus/prometheus.yml'), 'utf8');
    const found = [...config.matchAll(/names: \[([a-z0-9, -]+)\], type: A, port: (\d+)/g)];
    const ports = new Map(found.flatMap(([, names, port]) => names!.split(', ').map((name) => [name, port])));
    for (const [name, { environment = {} }] of ours)
      expect(ports.get(name)).toBe(String(environment.OPS_PORT));
  });

  test.each(Object.entries(services))('bounds memory and processes of %s', (_name, service) => {
    expect(service.mem_limit).toMatch(/^\d+[mg]$/);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  test.each(ours)('gives %s no secret of another kind of process', (name, { environment = {} }) => {
    const secrets = Object.keys(environment).filter((key) => /SECRET|API_KEY/.test(key));
    const own = name.startsWith('gateway') ? /^JWT_SECRET$/ : name === 'orchestrator' ? /_API_KEY$/ : /^$/;
    expect(secrets.filter((key) => !own.test(key))).toEqual([]);
  });

  test('contains no secret: each comes from outside and is required, or passed on when set', () => {
    for (const { environment = {} } of Object.values(services)) {
      for (const [name, value] of Object.entries(environment)) {
        if (/SECRET|PASS|KEY|TOKEN/.test(name) && value !== null)
          expect(value).toMatch(/^\$\{\w+:\?[^}]+\}$/);
        const credentials = /:\/\/[^/]*?:(.*)@/.exec(String(value))?.[1];
        if (credentials !== undefined) expect(credentials).toMatch(/^\$\{\w+:\?[^}]+\}$/);
      }
    }
  });

  test('sets only documented names, and listens inside the container', () => {
    for (const [, { environment = {} }] of ours) {
      expect(Object.keys(environment).filter((name) => !documentedNames.includes(name))).toEqual([]);
      expect(environment.HOST).toBe('0.0.0.0');
    }
  });

  test('refuses access without a token', () => {
    const gateways = ours.filter(([name]) => name.startsWith('gateway'));
    for (const [, { environment }] of gateways) {
      expect(environment).toMatchObject({
        AUTH: 'jwt',
        JWT_SECRET: expect.stringContaining('${JWT_SECRET:?'),
      });
    }
  });

  test.each(ours)('the command of %s starts what npm starts', (_name, { command = [] }) => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(Object.values(scripts)).toContainEqual(`exec node ${command.at(-1)}`);
  });

  const composeVersion = spawnSync('docker', ['compose', 'version']);
  (composeVersion.status === 0 ? test : test.skip)('is accepted by docker compose', () => {
    const env = { ...process.env, JWT_SECRET: 'x', RABBITMQ_PASSWORD: 'x' };
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});

describe('deploy/generate-env.mjs', () => {
  test('writes every secret that compose requires, readable by the owner only, and never twice', () => {
    const directory = mkdtempSync(join(tmpdir(), 'switchyard-env-'));
    const file = join(directory, '.env');
    const generate = () => spawnSync(process.execPath, [join(root, 'deploy/generate-env.mjs'), file]).status;
    expect(generate()).toBe(0);
    const written = readFileSync(file, 'utf8');
    const required = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    for (const name of required) expect(written).toMatch(new RegExp(`^${name}=[\\w-]{43}$`, 'm'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(generate()).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(written);
    rmSync(directory, { recursive: true });
  });
});

describe('Dockerfile', () => {
  test('is built on a Node.js release with long-term support', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    // https://github.com/nodejs/release: 24 until April 2028.
    expect(bases.filter((base) => base !== 'node:24-bookworm-slim')).toEqual([]);
  });

  test('runs as a user without rights and probes with node, for the image has no curl', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/HEALTHCHECK[^\n]*\\\n\s+CMD \["node", "-e", "fetch\(/);
  });

  test('installs without install scripts and without development packages at run time', () => {
    const installs = [...dockerfile.matchAll(/^RUN npm ci (.*)$/gm)].map(([, flags]) => flags);
    expect(installs).toEqual(['--ignore-scripts', '--omit=dev --ignore-scripts']);
  });
});
