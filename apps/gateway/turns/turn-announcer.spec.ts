import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, Turn } from '#contracts';
import { noFaults } from '#faults';
import { SeededRandom, VirtualClock } from '#time/testing';
import { TurnAnnouncer, type TurnAnnouncerDeps } from './turn-announcer.js';

const random = new SeededRandom(1);
const clock = new VirtualClock(random);

const turn = {
  _id: 'turn_1',
  conversation_id: 'conv_1',
  number: 3,
  user_id: 'ann',
  client_message_id: 'm1',
  content: 'hello',
  at: '2026-01-01T00:00:09.000Z',
} as Turn;

interface World {
  mayHint: boolean;
  outcome: 'confirmed' | 'refused' | 'returned' | Error;
  isStoreAway: boolean;
}

/** A gateway's surroundings; `said` is what was done, in order. */
function create({ mayHint = true, outcome = 'confirmed', isStoreAway = false }: Partial<World> = {}) {
  const said: unknown[][] = [];
  const events: ConversationEvent[] = [];
  const deps = {
    bus: {
      emit: (event: ConversationEvent) => events.push(event),
      publish: async (queue: string, message: { type: string; body: unknown }) => {
        said.push(['publish', queue, message.type, message.body]);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    },
    admission: {
      mayHint: async (unended: number) => {
        said.push(['mayHint', unended]);
        return mayHint;
      },
      noteRefusal: () => said.push(['noteRefusal']),
    },
    store: {
      setTurnDue: async (id: string, at: number) => {
        said.push(['setTurnDue', id, at]);
        if (isStoreAway) throw new Error('The store is away.');
      },
    },
    refusals: { note: (...given: unknown[]) => said.push(['note', ...given]) },
    log: { warn: (_fields: object, message: string) => said.push(['warn', message]) },
    clock,
    random,
    faultPoint: noFaults,
  } as unknown as TurnAnnouncerDeps;
  return { announcer: new TurnAnnouncer(deps), said, events };
}

const HINT = ['publish', 'turns', 'turn.advance', { turn_id: 'turn_1', conversation_id: 'conv_1' }];
const NO_HINT = ['warn', 'new turn not hinted, the sweeper will find it'];

describe('a new turn', () => {
  it('is announced to viewers once, and hinted', async () => {
    const { announcer, said, events } = create();
    await announcer.announce(turn, true, 7);
    expect(events).toEqual([expect.objectContaining({ type: 'turn_queued', turn_id: 'turn_1', by: 'ann' })]);
    expect(said).toEqual([['mayHint', 7], HINT]);
    await announcer.announce(turn, false, 7);
    expect(events).toHaveLength(1);
    expect(said.slice(2)).toEqual([['mayHint', 7], HINT]);
  });

  it('beyond the share of its user is due at once instead of hinted, and counted', async () => {
    const { announcer, said, events } = create({ mayHint: false });
    await announcer.announce(turn, true, 7);
    expect(events).toHaveLength(1);
    expect(said).toEqual([
      ['mayHint', 7],
      ['note', 'fair_share', { user_id: 'ann' }],
      ['setTurnDue', 'turn_1', clock.wall()],
    ]);
  });

  it('is left to the sweeper, with a warning, when it cannot be made due', async () => {
    const { announcer, said } = create({ mayHint: false, isStoreAway: true });
    await announcer.announce(turn, true, 7);
    expect(said.at(-1)).toEqual(['warn', 'marking a turn as due failed']);
  });

  it.each<[string, World['outcome'], unknown[][]]>([
    ['refuses its hint, and the admission of turns is told', 'refused', [['noteRefusal'], NO_HINT]],
    ['has no queue for it', 'returned', [NO_HINT]],
    ['is down', new Error('The broker is away.'), [NO_HINT]],
  ])('is left to the sweeper when the broker %s', async (_what, outcome, follows) => {
    const { announcer, said } = create({ outcome });
    await announcer.announce(turn, true, 7);
    expect(said.slice(2)).toEqual(follows);
  });
});
