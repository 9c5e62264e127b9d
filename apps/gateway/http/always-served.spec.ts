import { describe, expect, it } from '@jest/globals';
import { isAlwaysServed } from './always-served.js';

describe('requests exempt from the limits', () => {
  it.each(['/health/live', '/health/ready', '/metrics'])('include GET and HEAD of %s', (path) => {
    expect(['GET', 'HEAD'].map((method) => isAlwaysServed({ method, path }))).toEqual([true, true]);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get', undefined])(
    'exclude the method %s',
    (method) => {
      expect(isAlwaysServed({ method, path: '/health/live' })).toBe(false);
    },
  );

  it.each([
    '/health/',
    '/health/x',
    '/health/live/',
    '/Health/live',
    '/METRICS',
    '//health/live',
    '/health//live',
    '/health/%6cive',
    '/health/live;x',
    '/health/../health/live',
    '/metrics/x',
    '/',
    'constructor',
  ])('exclude %s', (path) => {
    expect(isAlwaysServed({ method: 'GET', path })).toBe(false);
  });
});
