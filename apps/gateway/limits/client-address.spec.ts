import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createAddressOf } from './client-address.js';

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  it('is that of its connection, regardless of its headers', () => {
    expect(createAddressOf([])(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1');
  });

  it('is the one that the last trusted proxy saw', () => {
    const addressOf = createAddressOf(['192.0.2.0/24']);
    expect(addressOf(from('192.0.2.1', '203.0.113.9, 198.51.100.7, 192.0.2.2'))).toBe('198.51.100.7');
  });

  it('is empty once the connection has closed', () => {
    expect(createAddressOf([])(from(undefined))).toBe('');
  });
});
