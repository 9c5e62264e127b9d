import { describe, expect, it } from '@jest/globals';
import { claimRow, START, turnRow } from '../../../libs/turn/testing/rows.js';
import type { Finding } from './finding.js';
import { CALLS, goodHistory, journalIn, sightIn, WORKERS } from './good-history.js';
import type { History } from './history.js';
import { judge } from './judge.js';

async function findingsOf(spoil: (history: History) => void): Promise<Finding[]> {
  const history = goodHistory();
  spoil(history);
  return (await judge(history)).findings;
}

/** The goals that a spoilt history breaks. */
async function goalsBrokenBy(spoil: (history: History) => void): Promise<string[]> {
  return [...new Set((await findingsOf(spoil)).map(({ goal }) => goal))];
}

const withoutDeath = (history: History) => {
  history.lives = history.lives.filter(({ what }) => what !== 'died');
};

describe('the judge', () => {
  it('acquits a run without violations, and counts it', async () => {
    const verdict = await judge(goodHistory());
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({
      strikes: { killed: 1 },
      turnsAccepted: 1,
      turnsEnded: { completed: 1 },
      callsByOutcome: { OutcomeUnknown: 1, success: 1 },
      approvals: { approve: 1 },
      startsPerCall: { once: 1, idempotent: 2 },
      startsAgain: 1,
      unknown: 1,
      compared: 2,
      recovery: { longestMs: 1_600, turnId: 'turn_1', after: 'w1 died', moreStrikes: 0 },
    });
  });

  it('convicts a second start of a call that acts once', async () => {
    const broken = await goalsBrokenBy(({ starts }) => starts.push({ ...starts[0]!, at: START + 5_000 }));
    expect(broken).toEqual(['doubled']);
  });

  it('convicts two starts of one attempt, of any class', async () => {
    const broken = await goalsBrokenBy(({ starts }) => starts.push({ ...starts[2]! }));
    expect(broken).toEqual(['doubled']);
  });

  it('convicts a message that became two turns', async () => {
    const broken = await goalsBrokenBy(({ requests }) =>
      requests.push({ ...requests[0]!, turn_id: 'turn_2' } as History['requests'][number]),
    );
    expect(broken).toEqual(['doubled', 'lost']);
  });

  it('convicts a second turn of one message in the store', async () => {
    const broken = await goalsBrokenBy((history) => {
      const { store } = history;
      const turn = turnRow(2, { status: 'completed', client_message_id: 'message-1' });
      store.push({ ...store[0]!, journals: [{ ...journalIn(history), turn: { ...turn, number: 1 } }] });
    });
    expect(broken).toContain('doubled');
  });

  it('convicts an accepted message whose turn is not there', async () => {
    const broken = await goalsBrokenBy((history) => (history.store[0]!.journals = []));
    expect(broken).toContain('lost');
  });

  it('convicts a turn without an end, and a call without one', async () => {
    const unended = await findingsOf((history) => journalIn(history).steps.pop());
    expect(unended).toContainEqual({ goal: 'lost', what: expect.stringContaining('has not ended') });
    const open = await findingsOf((history) => journalIn(history).outcomes.pop());
    expect(open).toContainEqual({ goal: 'lost', what: expect.stringContaining('has no outcome') });
  });

  it('convicts an empty store', async () => {
    const broken = await goalsBrokenBy((history) => {
      history.store = [];
      history.requests = [];
      history.starts = [];
      history.fresh = [];
      history.viewers = [];
    });
    expect(broken).toEqual(['lost']);
  });

  it('convicts a cached status that is not the journal’s', async () => {
    expect(await goalsBrokenBy((history) => (journalIn(history).turn.status = 'running'))).toEqual([
      'broken rule',
    ]);
  });

  it.each<[string, (history: History) => void]>([
    ['nothing happened to its owner', withoutDeath],
    [
      'its owner died only after it was given up',
      ({ lives }) => lives.forEach((event) => event.what === 'died' && (event.at = START + 9_500)),
    ],
    [
      'another process died',
      ({ lives }) => lives.forEach((event) => event.what === 'died' && (event.process_id = WORKERS.lives)),
    ],
    [
      'its owner was frozen for too short a time',
      (history) => {
        withoutDeath(history);
        history.lives.push({ ...frozen(), until: START + 4_000 });
      },
    ],
    [
      'its owner had lost its tools long before',
      (history) => {
        withoutDeath(history);
        history.lives.push(lostTools(START - 5_000));
      },
    ],
    [
      'only the broker was struck',
      (history) => {
        withoutDeath(history);
        history.lives.push({ at: START + 300, what: 'struck', place: 'broker', how: 'killed' });
      },
    ],
  ])('convicts an unknown outcome when %s', async (_, spoil) => {
    expect(await goalsBrokenBy(spoil)).toEqual(['unjustified unknown']);
  });

  it.each<[string, History['lives'][number]]>([
    ['frozen for as long as it takes to be counted as dead', { ...frozen(), until: START + 8_000 }],
    ['without its tools', lostTools(START + 300)],
    ['without its tools, and had not noticed when it claimed the call', lostTools(START + 100)],
  ])('accepts an unknown outcome whose owner was %s', async (_, event) => {
    const broken = await goalsBrokenBy((history) => {
      withoutDeath(history);
      history.lives.push(event);
    });
    expect(broken).toEqual([]);
  });

  it.each<[string, (history: History) => void]>([
    ['was never committed', (history) => (history.starts[0]!.tool_call_id = 'call_unheard_of')],
    ['has no claim', (history) => journalIn(history).claims.pop()],
    ['another process has claimed', ({ starts }) => (starts[2]!.worker_pid = 1)],
    ['was asked for by a step that lost', ({ starts }) => (starts[2]!.label = 'another request')],
    ['came before its step', ({ starts }) => (starts[0]!.at = START - 1_000)],
  ])('convicts a start that %s', async (_, spoil) => {
    expect(await goalsBrokenBy(spoil)).toContain('broken rule');
  });

  it('accepts a start a clock’s error before its step', async () => {
    const broken = await goalsBrokenBy(({ starts }) => (starts[0]!.at = START + 50));
    expect(broken).toEqual([]);
  });

  it('convicts the start of a call whose claim says that it can never start', async () => {
    const broken = await findingsOf((history) => {
      const journal = journalIn(history);
      journal.claims[1] = claimRow(CALLS.once, 1, { purpose: 'settle', decides: journal.outcomes[0]! });
    });
    expect(broken.map(({ what }) => what).join()).toContain('never can');
  });

  it('convicts a success that never started', async () => {
    expect(await goalsBrokenBy(({ starts }) => starts.pop())).toEqual(['broken rule']);
  });

  it('convicts a start after a Stop that did not name the call', async () => {
    const stop = { at: START + 1_000, viewer: 'p1', what: 'stopped' as const, turn_id: 'turn_1' };
    const named = await goalsBrokenBy(({ requests }) =>
      requests.push({ ...stop, may_be_running: [CALLS.repeat] }),
    );
    expect(named).toEqual([]);
    const unnamed = await goalsBrokenBy(({ requests }) => requests.push({ ...stop, may_be_running: [] }));
    expect(unnamed).toEqual(['broken rule']);
  });

  it.each<[string, (history: History) => void, string]>([
    [
      'the start of a call that a person denied',
      (history) => {
        journalIn(history).answers[0]!.decision = 'deny';
        history.requests = history.requests.filter(({ what }) => what !== 'answered');
      },
      'broken rule',
    ],
    [
      'the start of a call that no one had answered',
      (history) => {
        journalIn(history).answers = [];
        history.requests = history.requests.filter(({ what }) => what !== 'answered');
      },
      'broken rule',
    ],
    [
      'a start before the approval',
      (history) => (journalIn(history).answers[0]!.at = new Date(START + 1_250).toISOString()),
      'broken rule',
    ],
    [
      'two answers to one call, both acknowledged',
      ({ requests }) => requests.push({ ...answered(requests), decision: 'deny' }),
      'doubled',
    ],
    [
      'an acknowledged answer that differs from the stored one',
      ({ requests }) => (answered(requests).decision = 'deny'),
      'lost',
    ],
  ])('convicts %s', async (_, spoil, goal) => {
    const found = await findingsOf(spoil);
    expect(found.map((finding) => finding.goal)).toContain(goal);
    expect(found.map(({ what }) => what).join()).toContain(CALLS.once);
  });

  it('convicts a second start of an approved call', async () => {
    const broken = await goalsBrokenBy(({ starts }) => starts.push({ ...starts[0]!, at: START + 400 }));
    expect(broken).toEqual(['doubled']);
  });

  it('convicts a viewer, old or new, who sees something other than the store contains', async () => {
    const differ = ['transcript difference'];
    const stale = await goalsBrokenBy((history) => {
      const at = sightIn(history).findIndex((line) => 'event' in line && line.event.type === 'snapshot');
      sightIn(history).splice(at, 1);
    });
    expect(stale).toEqual(differ);
    expect(await goalsBrokenBy(({ fresh }) => (fresh[0]!.view.turns[0]!.steps[1]!.text += '!'))).toEqual(
      differ,
    );
    expect(await goalsBrokenBy(({ fresh }) => fresh.pop())).toEqual(differ);
  });

  it('convicts lost and repeated characters, and counts them', async () => {
    const spoilt = async (spoil: (tokens: number[], history: History) => void) => {
      const history = goodHistory();
      const seen = sightIn(history);
      const tokens = seen.flatMap((line, i) => ('event' in line && line.event.type === 'token' ? [i] : []));
      spoil(tokens, history);
      return judge(history);
    };
    const lost = await spoilt(([, second], history) => void sightIn(history).splice(second!, 1));
    expect(lost).toMatchObject({ lostCharacters: 6, repeatedCharacters: 0 });
    const repeated = await spoilt(([, second], history) => {
      sightIn(history).splice(second!, 0, sightIn(history)[second!]!);
    });
    expect(repeated).toMatchObject({ lostCharacters: 0, repeatedCharacters: 6 });
    const cut = await spoilt(([first, second], history) => {
      for (const [at, letter] of [
        [first!, '\ud83d'],
        [second!, '\ude00'],
      ] as const) {
        const line = sightIn(history)[at]!;
        if ('event' in line && line.event.type === 'token') line.event.content = letter;
      }
    });
    for (const { findings } of [lost, repeated, cut])
      expect(findings[0]?.goal).toBe('characters lost or repeated');
  });

  it('convicts a text in the store that is not the answer to one model request', async () => {
    const said = (text: string) => (history: History) => {
      journalIn(history).steps[1]!.blocks = [{ type: 'text', text }];
    };
    for (const text of ['r2.0 r2.2😀 r2.end', 'r2.0 r2.0 r2.end', 'r2.0 r3.1ä r3.end', 'r2.0 r2.1ä ', ''])
      expect(await goalsBrokenBy(said(text))).toContain('characters lost or repeated');
  });

  it.each<[string, (history: History) => void, string]>([
    ['a request that the provider refused', ({ run }) => run.violations.push('no'), 'broken rule'],
    [
      'a dead letter',
      ({ deadLetters }) => deadLetters.push({ queue: 'turns', reason: 'x', content: '' }),
      'broken rule',
    ],
    ['an error in a log', ({ complaints }) => complaints.push({ process_id: 'x', line: 'y' }), 'complaint'],
    [
      'a process that ended by itself',
      ({ lives }) =>
        lives.push({ at: START, what: 'died', place: 'w2', process_id: WORKERS.lives, by: 'itself' }),
      'complaint',
    ],
  ])('convicts %s', async (_, spoil, goal) => {
    expect(await goalsBrokenBy(spoil)).toEqual([goal]);
  });
});

type Answered = Extract<History['requests'][number], { what: 'approval' | 'answered' }>;

function answered(requests: History['requests']): Answered {
  return requests.find((request): request is Answered => request.what === 'answered')!;
}

function lostTools(at: number) {
  return { at, what: 'lost_tools' as const, place: 'w1', process_id: WORKERS.dies };
}

function frozen() {
  return { at: START + 1_000, what: 'froze' as const, place: 'w1', process_id: WORKERS.dies, until: 0 };
}
