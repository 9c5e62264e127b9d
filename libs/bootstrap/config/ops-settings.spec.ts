import { describe, expect, it } from '@jest/globals';
import { loadGatewayConfig, loadOrchestratorConfig, loadStandaloneConfig } from './load.config.js';

const SERVICES = { RABBITMQ_URL: 'amqp://broker', MONGODB_URL: 'mongodb://store' };
const PUBLIC = { AUTH: 'local', HOST: '0.0.0.0' };

const problemsOf = (environment: Record<string, string>): string[] => {
  try {
    loadStandaloneConfig(environment);
    return [];
  } catch (error) {
    return (error as { problems: string[] }).problems;
  }
};

describe('health and metrics', () => {
  it.each([
    ['all at a loopback HOST', {}, 'all'],
    ['without metrics at any other HOST', PUBLIC, 'health'],
    ['not at PORT if OPS_PORT is set', { OPS_PORT: '9464' }, 'none'],
    ['not at PORT if OPS_PORT is set, whatever HOST is', { ...PUBLIC, OPS_PORT: '9464' }, 'none'],
  ])('are %s', (_, environment, expected) => {
    expect(loadStandaloneConfig(environment).opsPaths).toBe(expected);
    expect(loadGatewayConfig({ ...SERVICES, ...environment }).opsPaths).toBe(expected);
  });

  it('are at OPS_HOST and OPS_PORT, by default at HOST', () => {
    const opsOf = (environment: Record<string, string>) =>
      loadOrchestratorConfig({ ...SERVICES, HOST: '10.0.0.1', ...environment }).ops;
    expect(opsOf({})).toBeUndefined();
    expect(opsOf({ OPS_PORT: '9464' })).toEqual({ host: '10.0.0.1', port: 9464 });
    expect(opsOf({ OPS_PORT: '9464', OPS_HOST: '::1' })).toEqual({ host: '::1', port: 9464 });
  });
});

describe('the settings of health and metrics', () => {
  it('are refused if they contradict each other', () => {
    expect(problemsOf({ OPS_HOST: '127.0.0.1' })).toEqual([
      expect.stringMatching(/^OPS_HOST needs OPS_PORT/),
    ]);
    for (const environment of [
      { PORT: '3000', OPS_PORT: '3000' },
      { PORT: '80', OPS_PORT: '80' },
    ])
      expect(problemsOf(environment)).toEqual([expect.stringMatching(/^OPS_PORT must not be PORT/)]);
    expect(problemsOf({ OPS_PORT: '3000' })).toHaveLength(1);
    expect(problemsOf({ PORT: '0', OPS_PORT: '0' })).toEqual([]);
  });

  it('are explained in the log where metrics are hidden, or may be public', () => {
    const noticesOf = (environment: Record<string, string>) => loadStandaloneConfig(environment).notices;
    expect(noticesOf(PUBLIC)).toEqual([expect.stringMatching(/^\/metrics is hidden.*OPS_PORT/)]);
    expect(noticesOf({ TRUSTED_PROXIES: '127.0.0.1' })).toEqual([
      expect.stringMatching(/^\/metrics.*OPS_PORT/),
    ]);
    expect(noticesOf({ ...PUBLIC, OPS_PORT: '9464' })).toEqual([]);
    expect(noticesOf({})).toEqual([]);
  });
});
