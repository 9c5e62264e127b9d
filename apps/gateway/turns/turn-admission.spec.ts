import { describe, expect, it } from '@jest/globals';
import { BusUnavailableError } from '#messaging';
import { TurnAdmission, type TurnLimits } from './turn-admission.js';

type State = { consumers: number; messages: number } | 'missing' | 'away';

const LIMITS = { waitingTurns: 10, turnsAtOnce: 3, messagesPerMinute: 100, fairShare: 1 };

function open(state: { queue: State }, limits: TurnLimits = LIMITS) {
  const time = { now: 0, looks: 0 };
  const refused: string[] = [];
  const inspect = async () => {
    time.looks++;
    if (state.queue === 'away') throw new BusUnavailableError('away');
    return state.queue;
  };
  const admission = new TurnAdmission({ inspect }, limits, (limit) => refused.push(limit), {
    now: () => time.now,
  });
  /** What a message finds that comes a second later, once the look that it set off is over. */
  const checkLater = async (): Promise<void> => {
    time.now += 1_000;
    try {
      admission.check('ann', 0);
    } catch {
      // The next one counts.
    }
    await new Promise((resolve) => setImmediate(resolve));
    admission.check('ann', 0);
  };
  return { admission, time, refused, checkLater };
}

describe('admission of new turns', () => {
  it('is closed while too many turns wait, and open again afterwards', async () => {
    const state: { queue: State } = { queue: { consumers: 1, messages: 9 } };
    const { checkLater } = open(state);
    await checkLater();
    state.queue = { consumers: 1, messages: 10 };
    await expect(checkLater()).rejects.toMatchObject({ code: 'overloaded', retryAfterMs: 5_000 });
    state.queue = { consumers: 1, messages: 3 };
    await checkLater();
  });

  it('is closed for a second when the broker itself refused', () => {
    const { admission, time } = open({ queue: { consumers: 1, messages: 0 } });
    admission.noteRefusal();
    expect(() => admission.check('ann', 0)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    expect(time.looks).toBe(0);
  });

  it('asks the broker at most once a second, regardless of the number of messages', () => {
    const { admission, time } = open({ queue: { consumers: 1, messages: 0 } });
    for (let i = 0; i < 100; i++) admission.check('ann', 0);
    expect(time.looks).toBe(1);
  });

  it('stays open while the broker is away or has no queue', async () => {
    const state: { queue: State } = { queue: 'away' };
    const { checkLater, admission } = open(state);
    admission.noteRefusal();
    await checkLater();
    state.queue = 'missing';
    await checkLater();
  });

  it('counts once each turn that arrived after the count or is not in the journal yet', () => {
    const { admission } = open({ queue: 'missing' });
    const overloaded = expect.objectContaining({ code: 'overloaded' });
    const burst = Array.from({ length: 5 }, () => admission.begin('ann'));
    for (const pending of burst.slice(0, 2)) pending.admit(0);
    burst[0]!.end();
    burst[2]!.admit(0);
    // All of them found no turn when they came, and three are let in by now.
    expect(() => burst[3]!.admit(0)).toThrow(overloaded);
    admission.begin('bob').admit(0);
    const late = admission.begin('ann');
    burst[1]!.end();
    // It came when one turn was in the journal for sure: that one is in its own count.
    expect(() => late.admit(1)).toThrow(overloaded);
    for (const pending of [burst[2]!, burst[3]!, burst[4]!, late]) pending.end();
    admission.begin('ann').admit(2);
    expect(() => admission.begin('ann').admit(3)).toThrow(overloaded);
  });

  it('is closed to a user with too many unended turns or messages a minute, and gives the time to retry', () => {
    const { admission, time, refused } = open({ queue: 'missing' });
    expect(() => admission.check('ann', 3)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    for (let sent = 0; sent < 100; sent++) admission.check('ann', 0);
    time.now = 15_000;
    expect(() => admission.check('ann', 0)).toThrow(
      expect.objectContaining({ code: 'overloaded', retryAfterMs: 45_000 }),
    );
    admission.check('bob', 0);
    time.now = 60_000;
    admission.check('ann', 0);
    expect(refused).toEqual(['turns_at_once', 'messages_per_minute']);
  });

  it('admits a long history, and then nothing until the time for its rows has passed', () => {
    const { admission, time } = open({ queue: 'missing' });
    const waits = (retryAfterMs: number) => expect.objectContaining({ code: 'overloaded', retryAfterMs });
    for (let sent = 0; sent < 99; sent++) admission.check('ann', 0);
    time.now = 10_000;
    admission.begin('ann').admit(0, 250);
    expect(() => admission.check('ann', 0)).toThrow(waits(120_000));
    expect(() => admission.count('ann')).toThrow(waits(120_000));
    admission.check('bob', 0);
    // Let in as a message before it was known that there is a history to be kept.
    const late = admission.begin('bob');
    late.admit(0);
    late.admit(0, 250);
    expect(() => late.admit(0, 2)).toThrow(waits(120_000));
    time.now = 129_999;
    expect(() => admission.begin('ann').admit(0, 1)).toThrow(waits(1));
    time.now = 130_000;
    for (let sent = 0; sent < 49; sent++) admission.check('ann', 0);
    expect(() => admission.check('ann', 0)).toThrow(waits(60_000));
  });
});

describe('the hint of a new turn', () => {
  const limits = { waitingTurns: 100, turnsAtOnce: 40, messagesPerMinute: 100, fairShare: 0.25 };

  it('is sent without checking the queue while its user is within the fair share', async () => {
    const { admission, time } = open({ queue: { consumers: 1, messages: 50 } }, limits);
    expect(await admission.mayHint(9)).toBe(true);
    expect(time.looks).toBe(0);
  });

  it('is withheld beyond the share while hints wait, and only then', async () => {
    const state: { queue: State } = { queue: { consumers: 1, messages: 1 } };
    const { admission, time } = open(state, limits);
    const asked = await Promise.all([admission.mayHint(10), admission.mayHint(39), admission.mayHint(2)]);
    expect([asked, time.looks]).toEqual([[false, false, true], 1]);
    state.queue = { consumers: 1, messages: 0 };
    expect(await admission.mayHint(10)).toBe(false);
    time.now += 100;
    expect(await admission.mayHint(10)).toBe(true);
    state.queue = 'away';
    time.now += 100;
    expect(await admission.mayHint(10)).toBe(true);
  });

  it('is always sent when nothing is shared', async () => {
    const state: { queue: State } = { queue: { consumers: 1, messages: 50 } };
    expect(await open(state, { ...limits, fairShare: 1 }).admission.mayHint(39)).toBe(true);
  });
});
