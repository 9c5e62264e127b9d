import { describe, expect, it } from '@jest/globals';
import { parseBrokerUrl } from './broker-url.js';

describe('the address of the broker', () => {
  it('has a heartbeat, and is shown without its user', () => {
    const { href, place } = parseBrokerUrl('amqp://user:s3cret@broker:5672/chat');
    expect(place).toBe('broker:5672/chat');
    expect(new URL(href).searchParams.has('heartbeat')).toBe(true);
  });

  it.each(['amqp://user:12/s3cret@broker', 'amqp://user:12#s3cret@broker', 'amqp://user:12?s3cret@broker'])(
    'is refused where its password is cut: %s',
    (url) => {
      let said = '';
      try {
        parseBrokerUrl(url);
      } catch (error) {
        said = (error as Error).message;
      }
      expect(said).toContain('%2F');
      expect(said).not.toMatch(/12|s3cret/);
    },
  );
});
