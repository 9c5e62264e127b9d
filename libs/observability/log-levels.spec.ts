import { describe, expect, it } from '@jest/globals';
import type { LogLevel } from '#contracts';
import { LogLevels } from './log-levels.js';
import { auditLoggerOf, createLogger } from './logger.js';
import { createNestLogger } from './nest-logger.js';

function create(level: LogLevel) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ role: 'gateway', level, pretty: false, destination });
  const messages = () => lines.splice(0).map((line) => (JSON.parse(line) as { msg: string }).msg);
  return { logger, levels: new LogLevels(logger), messages };
}

describe('LogLevels', () => {
  it('changes the level of a running logger, also for the lines of Nest', () => {
    const { logger, levels, messages } = create('warn');
    const nest = createNestLogger(logger);
    const say = () => {
      logger.debug('ours');
      nest.log('of Nest');
    };
    say();
    levels.set('debug');
    expect(levels.current).toBe('debug');
    say();
    levels.set();
    expect(levels.current).toBe('warn');
    say();
    expect(messages()).toEqual(['log level', 'ours', 'of Nest', 'log level']);
  });

  it('toggles between the configured level and debug', () => {
    const { levels } = create('info');
    const toggled = () => {
      levels.toggleDebug();
      return levels.current;
    };
    expect([toggled(), toggled(), toggled()]).toEqual(['debug', 'info', 'debug']);
    levels.set('error');
    expect([toggled(), toggled()]).toEqual(['debug', 'info']);
  });

  it('leaves audit records as they are, and writes one for each change', () => {
    const { logger, levels, messages } = create('info');
    const auditLog = auditLoggerOf(logger);
    levels.set('fatal');
    levels.set('fatal');
    auditLog.info('recorded');
    expect(messages()).toEqual(['log level', 'recorded']);
  });

  it('silences audit records while it is silent, and no longer; the change itself is always written', () => {
    const { logger, levels, messages } = create('silent');
    const auditLog = auditLoggerOf(logger);
    auditLog.info({ audit: 'invoked' }, 'unheard');
    levels.set('error');
    auditLog.info({ audit: 'invoked' }, 'heard');
    levels.set('silent');
    auditLog.info({ audit: 'invoked' }, 'unheard');
    expect(messages()).toEqual(['log level', 'heard', 'log level']);
  });
});
