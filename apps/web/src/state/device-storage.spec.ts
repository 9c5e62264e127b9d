import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeviceStorage } from './device-storage.js';

/** A browser's storage with room for so many characters. */
class FakeStorage {
  [key: string]: unknown;
  constructor(room: { left: number }) {
    const define = (name: string, value: unknown) => Object.defineProperty(this, name, { value });
    define('getItem', (key: string) => (this[key] as string | undefined) ?? null);
    define('removeItem', (key: string) => {
      room.left += String(this[key] ?? '').length;
      Reflect.deleteProperty(this, key);
    });
    define('setItem', (key: string, value: string) => {
      if (value.length > room.left) throw new Error('QuotaExceededError');
      room.left -= value.length;
      this[key] = value;
    });
  }
}

describe('what is kept on this device', () => {
  let room: { left: number };
  let browser: Storage;
  let storage: DeviceStorage;
  beforeEach(() => {
    room = { left: 10 };
    browser = new FakeStorage(room) as unknown as Storage;
    storage = new DeviceStorage(() => browser);
  });

  it('is stored, found by its prefix, and removed', () => {
    storage.set('a.1', 'one');
    storage.set('b.1', 'two');
    expect([storage.get('a.1'), storage.get('none')]).toEqual(['one', null]);
    expect(storage.keys('a.')).toEqual(['a.1']);
    storage.remove('a.1');
    expect([storage.get('a.1'), browser.getItem('a.1')]).toEqual([null, null]);
    expect(storage.isForgetful.get()).toBe(false);
  });

  it('is held by the page while there is no space, and stored as soon as there is', () => {
    storage.set('a', '12345678');
    storage.set('b', '1234');
    expect([storage.get('b'), browser.getItem('b'), storage.isForgetful.get()]).toEqual(['1234', null, true]);
    expect(storage.keys('')).toEqual(['a', 'b']);
    storage.remove('a');
    expect([browser.getItem('b'), storage.isForgetful.get()]).toEqual(['1234', false]);
  });

  it('does not come back in an older form', () => {
    storage.set('a', '1234');
    storage.set('a', '12345678901');
    expect([storage.get('a'), browser.getItem('a')]).toEqual(['12345678901', null]);
    storage.remove('a');
    expect([storage.get('a'), storage.isForgetful.get()]).toEqual([null, false]);
  });

  it('is held by the page where the browser forbids storage', () => {
    const forbidden = new DeviceStorage(() => {
      throw new Error('SecurityError');
    });
    expect([forbidden.get('a'), forbidden.keys(''), forbidden.isForgetful.get()]).toEqual([null, [], false]);
    forbidden.set('a', '1');
    expect([forbidden.get('a'), forbidden.keys(''), forbidden.isForgetful.get()]).toEqual(['1', ['a'], true]);
  });
});
