import { describe, expect, it } from '@jest/globals';
import { isSecretName, redactFields, redactText, redactUrl, toPrintableLine } from './redact.js';

describe('redactUrl', () => {
  it.each([
    ['amqp://user:secret@host:5672/vhost', 'amqp://***@host:5672/vhost'],
    ['amqp://user:se/cret@host:5672', 'amqp://***@host:5672'],
    ['amqp://user:se@cret@host', 'amqp://***@host'],
    ['mongodb://u:secret@a:1,b:2/db?replicaSet=rs0', 'mongodb://***@a:1,b:2/db?replicaSet=rs0'],
    ['https://host/path?api_key=secret&page=2', 'https://host/path?api_key=***&page=2'],
    ['https://host/path?x=1&access_token=secret', 'https://host/path?x=1&access_token=***'],
  ])('hides the credentials of %s', (url, hidden) => {
    expect(redactUrl(url)).toBe(hidden);
  });

  it.each(['amqp://host:5672', 'https://unpkg.com/@scope/name', 'not a url', ''])(
    'leaves %p as it is',
    (url) => {
      expect(redactUrl(url)).toBe(url);
    },
  );
});

describe('redactText', () => {
  it('hides credentials inside a sentence', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0';
    const text = `connect amqp://u:secret@h failed; Authorization: Bearer abcdefghijkl0123; key sk-ant-secret123456; ${jwt}`;
    expect(redactText(text)).toBe('connect amqp://***@h failed; Authorization: Bearer ***; key sk-***; ***');
  });

  it.each(['AIzaSyA-0123456789_abcdefghij', 'AQ.Ab8RN6K0123456789_abc'])('hides the key %s', (key) => {
    expect(redactText(`the key ${key} is bad`)).toBe('the key *** is bad');
  });

  // Without the bound a search would read the rest of a text from each place where a secret may begin: time squared.
  it.each<[string, number, (length: number) => string]>([
    ['user and password', 512, (length) => `a://${'b'.repeat(length)}@host`],
    ['a password with a slash', 256, (length) => `a://b:/${'c'.repeat(length - 1)}@host`],
    ['a user before such a password', 128, (length) => `a://${'b'.repeat(length)}:/c@host`],
    ['the part of a parameter name before `token`', 32, (length) => `?${'b'.repeat(length)}token=c`],
  ])('hides %s of a bounded length only, so that hostile text costs linear time', (_what, most, textOf) => {
    expect(redactText(textOf(most))).toContain('***');
    expect(redactText(textOf(most + 1))).toBe(textOf(most + 1));
  });
});

describe('toPrintableLine', () => {
  it('makes one line that cannot control a terminal or reverse text', () => {
    expect(toPrintableLine('a\u001b[31mred\u001b[0m\r\nb\u0000\u0007\u009b\u202ec\u2028d')).toBe('ared bc d');
  });

  it('cuts a text that is too long', () => {
    expect(toPrintableLine('abcdef', 3)).toBe('abc…');
  });
});

describe('isSecretName', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'ANTHROPIC_API_KEY',
    'x-api-key',
    'password',
    'JWT_SECRET',
    'token',
    'accessToken',
    'Set-Cookie',
  ])('is true for %s', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(['input_tokens', 'outputTokens', 'turn_id', 'tool_name', 'key'])('is false for %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('redactFields', () => {
  it('hides secrets at any depth and keeps the rest', () => {
    const fields = {
      turn_id: 't',
      headers: { Authorization: 'x', accept: 'json' },
      list: [{ password: 'p' }],
      output_tokens: 3,
    };
    expect(redactFields(fields)).toEqual({
      turn_id: 't',
      headers: { Authorization: '***', accept: 'json' },
      list: [{ password: '***' }],
      output_tokens: 3,
    });
  });

  it('handles cycles, huge values and bytes', () => {
    const cycle: Record<string, unknown> = { bytes: Buffer.alloc(10), count: 1n };
    cycle.self = cycle;
    const text = JSON.stringify(
      redactFields({ cycle, text: 'x'.repeat(1_000_000), list: new Array(100_000).fill(1) }),
    );
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain('10 bytes');
  });

  it('describes errors with their cause, without secrets', () => {
    const error = new Error('cannot reach amqp://u:secret@h', { cause: new TypeError('inner') });
    const described = redactFields({ err: error }) as { err: Record<string, unknown> };
    expect(described.err).toMatchObject({
      type: 'Error',
      message: 'cannot reach amqp://***@h',
      cause: { type: 'TypeError' },
    });
    expect(JSON.stringify(described)).not.toContain('secret');
  });
});
