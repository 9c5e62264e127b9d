import { beforeEach, describe, expect, it } from '@jest/globals';
import { UserTraffic } from './user-traffic.js';

const refused = expect.objectContaining({ code: 'overloaded' });

describe('UserTraffic', () => {
  let refusals: [string, string][] = [];
  const note = (limit: string, userId: string) => void refusals.push([limit, userId]);
  beforeEach(() => {
    refusals = [];
  });

  it('limits the open sockets of each user, and allows one more when one has closed', () => {
    const traffic = new UserTraffic({ socketsPerUser: 2, bytesPerMinute: 1 }, note, { now: () => 0 });
    const leave = traffic.enter('ann');
    traffic.enter('ann');
    traffic.enter('bob');
    expect(() => traffic.enter('ann')).toThrow(refused);
    leave();
    traffic.enter('ann');
    expect(() => traffic.enter('ann')).toThrow(refused);
    expect(refusals).toEqual(Array(2).fill(['sockets_per_user', 'ann']));
  });

  it('refuses a user over the limit of bytes until the minute is over, and gives that time', () => {
    let now = 0;
    const traffic = new UserTraffic({ socketsPerUser: 1, bytesPerMinute: 100 }, note, { now: () => now });
    traffic.receive('ann', 60);
    traffic.receive('bob', 60);
    now = 20_000;
    traffic.receive('ann', 40);
    traffic.check('ann');
    expect(traffic.receive('ann', 1)).toBe('fine');
    expect(() => traffic.check('ann')).toThrow(
      expect.objectContaining({ code: 'overloaded', retryAfterMs: 40_000 }),
    );
    traffic.check('bob');
    expect(refusals).toEqual([['bytes_per_minute', 'ann']]);
    now = 60_000;
    traffic.check('ann');
    traffic.receive('ann', 100);
    traffic.check('ann');
  });

  it('disconnects a user above twice the limit of bytes', () => {
    const traffic = new UserTraffic({ socketsPerUser: 1, bytesPerMinute: 100 }, note, { now: () => 0 });
    expect([traffic.receive('ann', 200), traffic.receive('ann', 1)]).toEqual(['fine', 'cut off']);
  });
});
