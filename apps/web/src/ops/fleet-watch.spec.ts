import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FleetState, ListedLetter, ListedTurn, TurnTimeline } from '#contracts';
import { HttpError } from '../connection/http.js';
import type { ListedAccount } from './operator-api.js';
import { EVERY_MS, FleetWatch } from './fleet-watch.js';

let asked: string[];
let inFlight: number;
let mostInFlight: number;
let failure: HttpError | undefined;
let isHidden: boolean;
let due: { ms: number; run: () => void } | undefined;
let watch: FleetWatch;

const fleet = (): FleetState => ({
  at: new Date(asked.length * 2_000).toISOString(),
  processes: [],
  toolsets: [],
  models: [],
  queues: {},
});

/** Answers in the next turn of the event loop, as a network does at best. */
async function answer<T>(name: string, value: T): Promise<T> {
  asked.push(name);
  mostInFlight = Math.max(mostInFlight, ++inFlight);
  await new Promise((resolve) => setImmediate(resolve));
  inFlight--;
  if (failure) throw failure;
  return value;
}

const api = {
  status: () => answer('status', fleet()),
  switches: () => answer('switches', { switches: [] }),
  turns: () => answer<ListedTurn[]>('turns', []),
  letters: () => answer<ListedLetter[]>('letters', []),
  usage: () => answer('usage', { from: '', to: '', rows: [], is_cut: false }),
  models: () => answer('models', { from: '', to: '', rows: [], is_cut: false }),
  accounts: () => answer<ListedAccount[]>('accounts', []),
  timeline: (id: string) => answer(`timeline ${id}`, { turn_id: id } as TurnTimeline),
};

beforeEach(() => {
  [asked, inFlight, mostInFlight, failure, isHidden, due] = [[], 0, 0, undefined, false, undefined];
  watch = new FleetWatch({
    api,
    hasAccounts: true,
    isHidden: () => isHidden,
    later: (ms, run) => {
      due = { ms, run };
      return () => (due = undefined);
    },
  });
});

/** Until the page waits for the next round, or for nothing. */
async function settle(): Promise<void> {
  let before = -1;
  while (before !== asked.length || inFlight > 0) {
    before = asked.length;
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The requests of the next `count` rounds. */
async function rounds(count: number): Promise<string[]> {
  asked = [];
  for (let i = 0; i < count; i++) {
    due!.run();
    await settle();
  }
  return asked;
}

describe('what the page of operators reads', () => {
  it('is everything at first, then the status every 2 s and the rest less often', async () => {
    watch.open();
    await settle();
    expect(asked).toEqual(['status', 'switches', 'letters', 'turns', 'usage', 'models', 'accounts']);
    expect(due?.ms).toBe(EVERY_MS);
    const every = ['status', 'switches'];
    expect(await rounds(3)).toEqual([...every, ...every, ...every, 'letters', 'turns']);
    expect((await rounds(27)).filter((name) => name === 'usage')).toHaveLength(1);
  });

  it('is asked for one by one, however often a round is wanted', async () => {
    watch.open();
    watch.wake();
    watch.choose('turn_1');
    watch.refresh();
    await settle();
    expect(mostInFlight).toBe(1);
    expect(asked.filter((name) => name === 'status')).toHaveLength(2);
    expect(due).toBeDefined();
  });

  it('is nothing while the page is hidden, and goes on when it is shown', async () => {
    watch.open();
    await settle();
    isHidden = true;
    expect([await rounds(1), due]).toEqual([[], undefined]);
    isHidden = false;
    watch.wake();
    await settle();
    expect(asked).toContain('status');
  });

  it('stays when a round fails, whose rest is read in the next one', async () => {
    watch.open();
    await settle();
    await rounds(2);
    const { fleet: before } = watch.state.get();
    failure = new HttpError(0, 'The server cannot be reached.');
    await rounds(1);
    expect(watch.state.get()).toMatchObject({ fleet: before, problem: 'The server cannot be reached.' });
    failure = undefined;
    expect(await rounds(1)).toEqual(['status', 'switches', 'letters', 'turns']);
    expect(watch.state.get().problem).toBeUndefined();
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
  ])('ends with an answer %d', async (status, refusal) => {
    failure = new HttpError(status, 'no');
    watch.open();
    await settle();
    expect([watch.state.get().refusal, due]).toEqual([refusal, undefined]);
  });

  it('has the timeline of the chosen turn, and says when there is no such turn', async () => {
    watch.open();
    await settle();
    watch.choose('turn_1');
    expect(watch.state.get().chosen).toEqual({ id: 'turn_1' });
    await settle();
    expect(watch.state.get().chosen).toEqual({ id: 'turn_1', turn: { turn_id: 'turn_1' } });
    const { timeline } = api;
    api.timeline = async () => Promise.reject(new HttpError(404, 'not found'));
    watch.choose('turn_2');
    await settle();
    api.timeline = timeline;
    expect(watch.state.get()).toMatchObject({
      chosen: { id: 'turn_2', problem: 'There is no turn with this id.' },
    });
    expect(watch.state.get().problem).toBeUndefined();
    watch.choose(undefined);
    expect(watch.state.get().chosen).toBeUndefined();
  });
});
