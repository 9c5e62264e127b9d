import { describe, expect, it } from '@jest/globals';
import { Case } from './case.js';
import type { Kind } from './kinds.js';

/** Mistakes of the past that hung on the moment at which something happened to a call. */

const LONG_MS = 20_000;
const SEEDS = [1, 2, 3, 4];

/** Calls `act` once, when an operation of that name has had its effect for a process of that kind. */
function atEffect(play: Case, kind: Kind, operation: string, act: (args: unknown[]) => boolean | void): void {
  const { world } = play;
  let isOver = false;
  world.onEffect = (processId, name, args) => {
    const isMeant = world.living().some((process) => process.id === processId && process.kind === kind);
    if (!isOver && isMeant && name === operation) isOver = act(args) !== false;
  };
}

function killAtEffect(
  play: Case,
  kind: Kind,
  operation: string,
  isMeant: (args: unknown[]) => boolean,
): void {
  const { world } = play;
  world.onEffect = (processId, name, args) => {
    const process = world.living().find(({ id }) => id === processId);
    if (process?.kind !== kind || name !== operation || !isMeant(args)) return;
    world.onEffect = undefined;
    world.end(process, 'kill');
  };
}

const states = (play: Case, turnId: string) =>
  String(play.view(turnId)?.steps[0]?.calls.map(({ state }) => state));

describe('a Stop', () => {
  it.each(SEEDS)('ends a call at once while its claim is being confirmed (seed %d)', (seed) =>
    Case.play({ seed }, async (play) => {
      const message = play.message([[{ tool: 'once', takesMs: LONG_MS }]]);
      let turnId = '';
      let stopped: Promise<unknown> | undefined;
      atEffect(play, 'worker', 'claim', () => void (stopped = play.stop(play.bob, turnId)));
      turnId = await play.send(play.bob, message);
      await play.until('the Stop', () => stopped !== undefined);
      await stopped;
      await play.until('the end of the call', () => states(play, turnId) === 'cancelled', LONG_MS / 4);
    }),
  );

  it('is one Stop when pressed twenty times at once, and every press gets the same answer', () =>
    Case.play({}, async (play) => {
      const turnId = await play.send(play.bob, [[{ tool: 'once', takesMs: LONG_MS }]]);
      await play.until('a running call', () => states(play, turnId) === 'running');
      let reads = 0;
      play.world.onEffect = (processId, operation) => {
        const isGateway = play.living('gateway').some(({ id }) => id === processId);
        if (isGateway && operation === 'readJournal') reads++;
      };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => play.bob.ask('stop', { turn_id: turnId })),
      );
      expect(reads).toBeLessThan(10);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      await play.ended(turnId);
      expect((await play.journal(turnId)).steps.map(({ kind }) => kind)).toEqual(['model', 'cancel']);
    }));

  it.each(SEEDS)(
    'after a wrong suspicion leaves no unknown outcome while the first owner lives (seed %d)',
    (seed) =>
      Case.play({ seed }, async (play) => {
        const { world } = play;
        const turnId = await play.send(play.bob, [[{ tool: 'repeat', takesMs: LONG_MS }]]);
        await play.until('a running call', () => states(play, turnId) === 'running');
        const [call] = (await play.journal(turnId)).steps[0]!.calls;
        const claimed = async () =>
          (await play.journal(turnId)).claims.filter(({ _id }) => _id.startsWith(call!.tool_call_id));
        const [first] = await claimed();
        world
          .living()
          .find(({ id }) => id === first!.owner)!
          .cutBus(15_000);
        await play.until('a second start', () => world.starts.length === 2);
        await play.stop(play.bob, turnId);
        await play.ended(turnId);
        await play.until('the end of the call', () => play.bob.hasSeenAll([turnId]));
        expect((await play.calls(turnId)).map(({ end }) => end)).not.toContain('OutcomeUnknown');
      }),
  );

  it('during a model stream keeps the text that viewers have seen', () =>
    Case.play({}, async (play) => {
      play.arm({ how: 'delay', kind: 'orchestrator', point: 'token_streamed', afterMs: 0, forMs: 400 });
      const turnId = await play.send(play.bob, []);
      const shown = () => play.view(turnId)?.steps[0]?.text ?? '';
      await play.until('the first words', () => shown() !== '');
      const seen = shown();
      await play.stop(play.bob, turnId);
      await play.ended(turnId);
      const last = (await play.journal(turnId)).steps.at(-1)!;
      expect(last.kind).toBe('cancel');
      const text = last.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
      expect(text.startsWith(seen)).toBe(true);
    }));
});

describe('a call that needs approval', () => {
  const ASKED = [[{ tool: 'asked' as const, takesMs: 10 }]];
  const approve = (play: Case, turn_id: string, tool_call_id: string) => {
    const told = { viewer: 'bob', tool_call_id, decision: 'approve' as const };
    play.world.request({ what: 'approval', ...told });
    return play.bob.ask('tool_approval', { turn_id, tool_call_id, decision: 'approve' }).then((answer) => {
      if (answer) play.world.request({ what: 'answered', ...told });
      return answer;
    });
  };

  it('continues at once when it is approved while its turn is being parked', () =>
    Case.play({}, async (play) => {
      const isParked = ([, status]: unknown[]) => status === 'awaiting_input';
      play.world.faults.holdsNext = { operation: 'setTurnStatus', isMeant: isParked, forMs: 1_000 };
      const turnId = await play.send(play.bob, ASKED);
      await play.until('a call to approve', () => states(play, turnId) === 'awaiting_approval');
      await play.until('parking', () => play.world.faults.holdsNext === undefined);
      const [call] = (await play.journal(turnId)).steps[0]!.calls;
      await approve(play, turnId, call!.tool_call_id);
      // The sweeper, which would find the answer, looks later.
      await play.until('the end', () => play.ann.hasSeenEnd(turnId), 3_000);
    }));

  it('is listed as waiting, however late its turn was marked as running', () =>
    Case.play({}, async (play) => {
      const isRunning = ([, status]: unknown[]) => status === 'running';
      play.world.faults.holdsNext = { operation: 'setTurnStatus', isMeant: isRunning, forMs: 1_000 };
      const turnId = await play.send(play.bob, ASKED);
      await play.until('a call to approve', () => states(play, turnId) === 'awaiting_approval');
      // Later than the write that was held, earlier than a look of the sweeper, which would mend it.
      await play.world.clock.sleep(2_000);
      const { turn, steps } = await play.journal(turnId);
      expect(turn.status).toBe('awaiting_input');
      await approve(play, turnId, steps[0]!.calls[0]!.tool_call_id);
      await play.ended(turnId);
    }));

  it.each(SEEDS)('shows who approved it although the event of the answer was lost (seed %d)', (seed) =>
    Case.play({ seed }, async (play) => {
      const turnId = await play.send(play.bob, ASKED);
      await play.until('a call to approve', () => states(play, turnId) === 'awaiting_approval');
      const [call] = (await play.journal(turnId)).steps[0]!.calls;
      const { clock, faults } = play.world;
      atEffect(play, 'gateway', 'answer', () => {
        faults.weather = { ...faults.weather, losesEvents: 1 };
        // Longer than the store takes to answer, and shorter than the call needs to start.
        clock.after(5, () => (faults.weather = { ...faults.weather, losesEvents: 0 }));
      });
      await approve(play, turnId, call!.tool_call_id);
      await play.ended(turnId);
    }),
  );
});

describe('the end of a turn', () => {
  it.each([
    ['setTurnStatus', ([, status]: unknown[]) => status === 'completed'],
    ['setTurnDue', ([, due]: unknown[]) => due === null],
  ] as const)('is cached although the orchestrator dies after %s', (operation, isMeant) =>
    Case.play({}, async (play) => {
      killAtEffect(play, 'orchestrator', operation, isMeant);
      const turnId = await play.send(play.bob, []);
      await play.until('the death', () => play.living('orchestrator').length === 1);
      await play.ended(turnId);
      await play.world.clock.sleep(30_000);
      expect((await play.journal(turnId)).turn).toMatchObject({ status: 'completed', due_at: null });
    }),
  );

  it('is shown to viewers who first received an event of a later turn', () =>
    Case.play({}, async (play) => {
      play.killAt('gateway', 'turn_inserted');
      void play.bob.ask('message', play.message([]));
      await play.until('the death', () => play.living('gateway').length === 1);
      const later = await play.send(play.ann, []);
      await play.ended(later);
      await play.until(
        'both turns',
        () => play.view(later) !== undefined && play.ann.views.get(play.conversationId)!.turns.length === 3,
        20_000,
      );
    }));
});
