import { beforeEach, describe, expect, it } from '@jest/globals';
import { NoPlaceError, RequestPlaces } from './request-places.js';

const HOME = '192.0.2.1';
let places: RequestPlaces;
beforeEach(() => {
  places = new RequestPlaces({
    httpRequests: 3,
    httpRequestsPerUser: 2,
    unknownRequests: 4,
    unknownRequestsPerAddress: 1,
  });
});

/** `limit status` of the refusal. */
function refusalOf(enter: () => unknown): string | undefined {
  try {
    enter();
    return undefined;
  } catch (error) {
    if (!(error instanceof NoPlaceError)) throw error;
    return `${error.limit} ${error.status} ${error.code} ${error.retryAfterMs}`;
  }
}

describe('RequestPlaces', () => {
  it('limit the requests of one user and of all', () => {
    places.enterAsUser('ann');
    const { leave } = places.enterAsUser('ann');
    expect(refusalOf(() => places.enterAsUser('ann'))).toBe('http_requests_per_user 429 overloaded 1000');
    places.enterAsUser('bob');
    expect(refusalOf(() => places.enterAsUser('cy'))).toBe('http_requests 503 overloaded 1000');
    leave();
    leave();
    expect(refusalOf(() => places.enterAsUser('cy'))).toBeUndefined();
    expect(refusalOf(() => places.enterAsUser('cy'))).toBe('http_requests 503 overloaded 1000');
  });

  it('take no place from a user who is refused', () => {
    for (let count = 0; count < 2; count++) places.enterAsUser('ann');
    for (let count = 0; count < 5; count++) refusalOf(() => places.enterAsUser('ann'));
    expect(refusalOf(() => places.enterAsUser('bob'))).toBeUndefined();
  });

  it('count a stream in the total, no longer for its user', () => {
    const { endCount, leave } = places.enterAsUser('ann');
    places.enterAsUser('ann');
    endCount();
    expect(refusalOf(() => places.enterAsUser('ann'))).toBeUndefined();
    expect(refusalOf(() => places.enterAsUser('bob'))).toBe('http_requests 503 overloaded 1000');
    leave();
    expect(refusalOf(() => places.enterAsUser('ann'))).toBe('http_requests_per_user 429 overloaded 1000');
    expect(refusalOf(() => places.enterAsUser('bob'))).toBeUndefined();
  });

  it('apply no limit per user when all users are one', () => {
    for (let count = 0; count < 3; count++) places.enterAsUser(undefined);
    expect(refusalOf(() => places.enterAsUser(undefined))).toBe('http_requests 503 overloaded 1000');
  });

  it('are separate for users, bodies of strangers and their answers', () => {
    for (let count = 0; count < 3; count++) places.awaitBody(HOME);
    expect(refusalOf(() => places.awaitBody(HOME))).toBe('unknown_requests_per_address 429 overloaded 1000');
    places.awaitBody('192.0.2.2');
    expect(refusalOf(() => places.awaitBody('192.0.2.3'))).toBe('unknown_requests 503 overloaded 1000');
    expect(refusalOf(() => places.enterAsStranger(HOME))).toBeUndefined();
    expect(refusalOf(() => places.enterAsUser('ann'))).toBeUndefined();
    expect(refusalOf(() => places.check(HOME))).toBeUndefined();
  });

  it('limit the tokens that are checked at once', () => {
    for (let count = 0; count < 2; count++) places.check(HOME);
    expect(refusalOf(() => places.check(HOME))).toBe('unknown_requests_per_address 429 overloaded 1000');
    places.check('192.0.2.2');
    expect(refusalOf(() => places.check('192.0.2.3'))).toBe('http_requests 503 overloaded 1000');
  });
});
