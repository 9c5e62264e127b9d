import { describe, expect, it } from '@jest/globals';
import { parseClientFrame } from './client-frame.js';

const invalid = (more: object = {}) => ({
  type: 'refused',
  refusal: { code: 'INVALID_FORMAT', message: expect.any(String), ...more },
});

describe('a client frame', () => {
  it('is a message, with or without a type', () => {
    const request = { conversation_id: 'conv_1', content: ' hi ' };
    expect(parseClientFrame(JSON.stringify({ type: 'message', ...request, other: 1 }))).toEqual({
      type: 'message',
      request,
    });
    expect(parseClientFrame(JSON.stringify(request))).toEqual({ type: 'message', request });
    expect(parseClientFrame(JSON.stringify({ ...request, client_message_id: null }))).toEqual({
      type: 'message',
      request,
    });
    const resendable = { ...request, client_message_id: 'm-1' };
    expect(parseClientFrame(JSON.stringify(resendable))).toEqual({ type: 'message', request: resendable });
  });

  it('is a ping, whatever other fields it has', () => {
    expect(parseClientFrame('{"type":"ping","conversation_id":5}')).toEqual({ type: 'ping' });
  });

  it.each([
    'not json',
    '',
    'null',
    '5',
    '"ping"',
    '[]',
    '{}',
    '{"type":"nothing","conversation_id":"c"}',
    '{"type":null,"conversation_id":"c","content":"x"}',
    '{"content":"x"}',
    '{"conversation_id":5,"content":"x"}',
    '['.repeat(500_000),
  ])('is INVALID_FORMAT without a conversation to answer in: %.60s', (text) => {
    expect(parseClientFrame(text)).toEqual(invalid());
  });

  it.each([
    '{"conversation_id":"c","content":"  \\n"}',
    '{"conversation_id":"c","content":5}',
    '{"conversation_id":"c"}',
    '{"conversation_id":"c","content":"x","client_message_id":"two words"}',
    `{"conversation_id":"c","content":"x","deep":${'['.repeat(100)}${']'.repeat(100)}}`,
  ])('is INVALID_FORMAT in its conversation: %.60s', (text) => {
    expect(parseClientFrame(text)).toEqual(invalid({ conversation_id: 'c' }));
  });

  it('is ACCESS_DENIED for an invalid id, and echoes only part of it', () => {
    const conversation_id = '$'.repeat(1_000);
    expect(parseClientFrame(JSON.stringify({ conversation_id, content: 'x' }))).toEqual({
      type: 'refused',
      refusal: {
        code: 'ACCESS_DENIED',
        message: expect.any(String),
        conversation_id: conversation_id.slice(0, 128),
      },
    });
  });
});
