import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CallAction, CallDecision } from '#turn';
import type { CallShares } from './call-shares.js';
import { TurnShare } from './turn-share.js';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
let now: number;
beforeEach(() => void (now = NOW));
const clock = { wall: () => now };

/** Shares that hold every call until the test releases it. */
function create({ counts = true, room = false, takenOverAt }: Partial<Options> = {}) {
  const said: string[] = [];
  const releases = new Map<string, () => void>();
  const world = { woken: 0, room };
  const shares = {
    counts: () => counts,
    ask: (toolset: string, id: string, user: string, release: () => void) => {
      said.push(`ask ${toolset} ${id} ${user}`);
      if (!world.room) releases.set(id, release);
      return world.room;
    },
    count: (toolset: string, id: string, user: string) => said.push(`count ${toolset} ${id} ${user}`),
    end: (toolset: string, id: string, user: string) => said.push(`end ${toolset} ${id} ${user}`),
  };
  const wake = () => void world.woken++;
  const share = new TurnShare(shares as unknown as CallShares, 'ann', wake, { clock, takenOverAt });
  return { share, said, releases, world };
}

interface Options {
  counts: boolean;
  room: boolean;
  takenOverAt: number;
}

const callOf = (id: string) =>
  ({ tool_call_id: id, tool_name: 'math.add' }) as unknown as CallDecision['call'];
const open = (id: string, action: CallAction['do']) =>
  ({ call: callOf(id), action: { do: action } }) as unknown as CallDecision;

describe('the calls of one turn', () => {
  it('are sent while there is room, with the deadline of their step', () => {
    const { share, said } = create({ room: true });
    expect(share.ask(callOf('one'))).toBe(true);
    expect([said, share.releasedAt('one')]).toEqual([['ask math one ann'], undefined]);
  });

  it('are held while their time is stopped, and wake their driver once they may be sent', () => {
    const { share, releases, world } = create();
    expect(share.ask(callOf('one'))).toBe(false);
    now += 600_000;
    expect([share.releasedAt('one'), world.woken]).toEqual([Infinity, 0]);
    releases.get('one')!();
    expect([share.releasedAt('one'), world.woken]).toEqual([NOW + 600_000, 1]);
    world.room = true;
    now += 1_000;
    expect([share.ask(callOf('one')), share.releasedAt('one')]).toEqual([true, NOW + 600_000]);
    // Of another call of the turn nothing was held.
    expect(share.releasedAt('two')).toBeUndefined();
  });

  it('are not charged for time before a takeover, because it is unknown whether they were held', () => {
    const { share, releases } = create({ takenOverAt: NOW - 5_000 });
    expect(share.releasedAt('one')).toBe(NOW - 5_000);
    share.ask(callOf('one'));
    releases.get('one')!();
    expect(share.releasedAt('one')).toBe(NOW);
  });

  it('count once when a worker runs them that this driver has not sent', () => {
    const { share, said } = create();
    share.follow([open('one', 'nothing')]);
    share.follow([open('one', 'nothing')]);
    expect(said).toEqual(['count math one ann']);
  });

  it('free their place when they have ended, wait for a person, or the turn is left', () => {
    const { share, said } = create({ room: true });
    for (const id of ['ended', 'asks', 'stays']) share.ask(callOf(id));
    said.length = 0;
    share.follow([open('asks', 'await_person'), open('stays', 'publish')]);
    expect(said).toEqual(['end math ended ann', 'end math asks ann']);
    share.follow([]);
    share.follow([]);
    expect(said.slice(2)).toEqual(['end math stays ann']);
  });

  it('request no place and count nowhere while their user is alone', () => {
    const { share, said } = create({ counts: false });
    expect(share.ask(callOf('one'))).toBe(true);
    share.follow([open('two', 'nothing')]);
    share.follow([]);
    expect([said, share.releasedAt('one')]).toEqual([[], undefined]);
  });
});
