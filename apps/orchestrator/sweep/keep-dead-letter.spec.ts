import { beforeEach, describe, expect, it } from '@jest/globals';
import { SeededRandom, VirtualClock } from '#time/testing';
import { openPorts, turnRow, type TestPorts } from '#journal/testing';
import { keepDeadLetter } from './keep-dead-letter.js';

let clock: VirtualClock;
let ports: TestPorts;
beforeEach(async () => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  ports = await openPorts('orchestrator-1', { clock, random });
  const turn = { ...turnRow(), at: new Date(clock.wall()).toISOString() };
  await ports.store.insertTurn(turn);
});

const hints = () => ports.recorded.bodies('turn.advance').length;

/** The same hint, dead for the n-th time. */
function die(n: number): Promise<void> {
  const message = { id: `message-${n}`, type: 'turn.advance', body: { turn_id: 'turn_1' } };
  const content = Buffer.from(JSON.stringify(message));
  return keepDeadLetter(ports, {
    queue: 'turns',
    reason: 'rejected: handler failed: Error',
    messageId: `message-${n}`,
    content,
  });
}

describe('a dead-lettered hint', () => {
  it('is sent again without a sweep after a pause that doubles; the fourth time ends the turn', async () => {
    for (const [index, pauseMs] of [350, 700, 1_400].entries()) {
      const kept = die(index);
      await clock.advance(pauseMs / 2 - 1);
      expect(hints()).toBe(index);
      await clock.advance(pauseMs / 2 + 1);
      await kept;
      expect(hints()).toBe(index + 1);
    }
    await die(3);
    expect(await ports.store.getTurn('turn_1')).toMatchObject({ status: 'failed' });
    expect(hints()).toBe(3);
  });
});
