import { describe, expect, it } from '@jest/globals';
import type { LogLevel } from '#contracts';
import { auditLoggerOf, createLogger } from './logger.js';
import { createNestLogger } from './nest-logger.js';

function capture(options: { pretty?: boolean; level?: LogLevel } = {}) {
  const lines: string[] = [];
  const logger = createLogger({
    role: 'gateway',
    pretty: false,
    ...options,
    destination: { write: (line) => void lines.push(line) },
  });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('createLogger', () => {
  it('has an audit log that only the level silent hides', () => {
    for (const level of ['trace', 'info', 'warn', 'fatal'] as const) {
      const { logger, records } = capture({ level });
      auditLoggerOf(logger).info({ audit: 'invoked', token: 'secret' }, 'tool call');
      expect(records()).toMatchObject([{ level: 'info', audit: 'invoked', msg: 'tool call' }]);
      expect(JSON.stringify(records())).not.toContain('secret');
      expect(logger.level).toBe(level);
    }
    const { logger, lines } = capture({ level: 'silent' });
    auditLoggerOf(logger).info({ audit: 'invoked' }, 'tool call');
    expect(lines).toEqual([]);
  });

  it('writes one JSON line with level, time, role, message and fields', () => {
    const { logger, records } = capture();
    logger.info({ turn_id: 't1' }, 'turn started');
    expect(records()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        role: 'gateway',
        turn_id: 't1',
        msg: 'turn started',
      },
    ]);
  });

  it('logs nothing below its level', () => {
    const { logger, lines } = capture({ level: 'warn' });
    logger.info('nothing');
    logger.warn('something');
    expect(lines).toHaveLength(1);
  });

  it('hides secrets in fields, messages, interpolated values, errors and bindings of children', () => {
    const { logger, lines } = capture();
    const url = 'amqp://user:hunter2@host';
    logger.info({ password: 'hunter2', nested: { token: 'hunter2' } }, 'a');
    logger.info(`connecting to ${url}`);
    logger.info('connecting to %s', url);
    logger.error(new Error(`lost ${url}`));
    logger.error({ err: new Error(`lost ${url}`) });
    logger.child({ api_key: 'hunter2', url }).child({ secret: 'hunter2' }).info('b');
    expect(lines).toHaveLength(6);
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('uses the message of an error that is logged alone', () => {
    const { logger, records } = capture();
    logger.error({ err: new RangeError('too far') });
    expect(records()[0]).toMatchObject({ msg: 'too far', err: { type: 'RangeError', message: 'too far' } });
  });

  it('strips control characters of third-party text', () => {
    const { logger, records } = capture();
    logger.info({ tool: 'a\u001b[2Jb\u009bc' }, 'says \u001b[31mred\nfake line');
    expect(records()[0]).toMatchObject({ tool: 'abc', msg: 'says red fake line' });
  });
});

describe('readable lines', () => {
  it('consist of time, level, role, message and fields', () => {
    const { logger, lines } = capture({ pretty: true });
    logger.info({ turn_id: 't1', title: 'two words' }, 'turn ended');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}gateway: turn ended turn_id=t1 title="two words"\n$/,
    );
  });

  it('show errors indented below, so that their text cannot imitate a line', () => {
    const { logger, lines } = capture({ pretty: true });
    logger.error({ err: new Error('bad\n12:00:00.000 INFO forged', { cause: new Error('why') }) }, 'failed');
    const [head, ...below] = lines.join('').trimEnd().split('\n');
    expect(head).toMatch(/ERROR gateway: failed$/);
    expect(below[0]).toBe('    Error: bad 12:00:00.000 INFO forged');
    expect(below).toContain('    caused by Error: why');
    expect(below.every((line) => line.startsWith('    '))).toBe(true);
  });
});

describe('createNestLogger', () => {
  it('logs the framework’s messages at debug and its errors as errors', () => {
    const { logger, records } = capture({ level: 'debug' });
    const nest = createNestLogger(logger);
    nest.log('Mapped {/health/live, GET} route', 'RouterExplorer');
    nest.error('listen EADDRINUSE', 'NestApplication');
    nest.error('boom', 'Error: boom\n    at x', 'ExceptionsHandler');
    expect(records()).toMatchObject([
      { level: 'debug', context: 'RouterExplorer' },
      { level: 'debug', context: 'NestApplication' },
      { level: 'error', msg: 'boom', context: 'ExceptionsHandler', stack: 'Error: boom     at x' },
    ]);
  });
});
