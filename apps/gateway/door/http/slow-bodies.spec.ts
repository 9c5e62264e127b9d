import { beforeEach, describe, expect, it } from '@jest/globals';
import { SlowBodies, type BodyPace } from './slow-bodies.js';

const PACE: BodyPace = { patienceMs: 10_000, bytesPerSecond: 1_000 };

class Played {
  complete = false;
  readableLength = 0;
  readonly readableHighWaterMark = 16;
  readonly socket = { bytesRead: 500, destroyed: false, destroy: () => void (this.isBroken = true) };
  isBroken = false;
  readonly response = { writableEnded: false };
}

let now: number;
let refused: Played[];
let bodies: SlowBodies<Played, Played['response']>;
beforeEach(() => {
  now = 0;
  refused = [];
  bodies = new SlowBodies(PACE, 1_000, (request) => refused.push(request), { now: () => now });
});

function watch(): Played {
  const body = new Played();
  bodies.watch(body, body.response);
  return body;
}

/** Seconds go by, in each of which this happens. */
function pass(seconds: number, happens: (second: number) => void = () => undefined): void {
  for (let second = 1; second <= seconds; second++) {
    now += 1_000;
    happens(second);
    bodies.check();
  }
}

const receive = (body: Played, bytes: number) => (body.socket.bytesRead += bytes);

describe('the body of a request', () => {
  it('is refused after 10 s without any bytes', () => {
    const body = watch();
    pass(9);
    expect(refused).toEqual([]);
    pass(1);
    expect(refused).toEqual([body]);
  });

  it('is refused once its start is over if it arrives too slowly', () => {
    const body = watch();
    pass(10, (second) => second % 5 === 0 && receive(body, 1));
    expect(refused).toEqual([]);
    pass(1);
    expect(refused).toEqual([body]);
  });

  it('may pause after it was fast, and may take long at the required pace', () => {
    const body = watch();
    pass(10, () => receive(body, 5_000));
    pass(9);
    pass(1, () => receive(body, 1));
    pass(3_600, () => receive(body, 1_000));
    expect(refused).toEqual([]);
    pass(60, () => receive(body, 10));
    expect(refused).toEqual([body]);
  });

  it('does not time out while this process is not reading', () => {
    const body = watch();
    body.readableLength = 16;
    pass(60);
    expect(refused).toEqual([]);
    body.readableLength = 0;
    pass(9);
    expect(refused).toEqual([]);
  });

  it('does not time out because this process paused', () => {
    watch();
    now += 60_000;
    bodies.check();
    expect(refused).toEqual([]);
  });

  it('is no longer watched once it is complete or its client has left', () => {
    watch().complete = true;
    watch().socket.destroyed = true;
    pass(1);
    expect(bodies.size).toBe(0);
  });

  it('has its connection closed when it continues after its refusal', () => {
    const body = watch();
    pass(10);
    expect([refused.length, body.isBroken]).toEqual([1, false]);
    pass(1);
    expect([refused.length, body.isBroken, bodies.size]).toEqual([1, true, 0]);
  });

  it('has its connection closed when it continues too slowly after its answer', () => {
    const body = watch();
    body.response.writableEnded = true;
    pass(10);
    expect([body.isBroken, refused]).toEqual([true, []]);
  });
});
