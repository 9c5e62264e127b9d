import { describe, expect, it } from '@jest/globals';
import type { PlannedCall } from '../soak/plan.js';
import { Case } from './case.js';

/** One case for each row of docs/worker-groups.md, "What happens in failures", that is about a process. */

const SLOW: PlannedCall = { tool: 'once', takesMs: 5_000 };
const QUICK: PlannedCall = { tool: 'once', takesMs: 100 };

/** Calls `act` when a claim on a call has had its effect, and its answer is not yet written. */
function atClaim(play: Case, act: (server: string) => void): void {
  let isDone = false;
  play.world.onEffect = (processId, operation, [row]) => {
    if (isDone || operation !== 'claim' || !(row as { _id: string })._id.startsWith('call_')) return;
    isDone = true;
    act(processId);
  };
}

describe('workers without the store', () => {
  it('are left alone while all orchestrators are away, and settle what they ran meanwhile', () =>
    Case.play({ hasLedger: true }, async (play) => {
      const workers = play.living('worker').map(({ id }) => id);
      const turnId = await play.send(play.ann, [[SLOW]]);
      await play.until('the start of the call', () => play.world.starts.length > 0);
      const before = play.living('orchestrator').length;
      for (let i = 0; i < before; i++) play.killOne('orchestrator');
      await play.world.clock.sleep(60_000);
      for (let i = 0; i < before; i++) play.start('orchestrator');
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
      expect(play.living('worker').map(({ id }) => id)).toEqual(workers);
    }));

  it('run a call once although the orchestrator dies between its claim and the answer', () =>
    Case.play({ hasLedger: true }, async (play) => {
      atClaim(play, (server) => {
        const process = play.living('orchestrator').find(({ id }) => id === server)!;
        play.world.end(process, 'kill');
      });
      const turnId = await play.send(play.ann, [[QUICK]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'success', starts: 1 }]);
    }));

  it('that die between a claim and its answer leave a call of class once unknown', () =>
    Case.play({ hasLedger: true }, async (play) => {
      atClaim(play, () => {
        while (play.living('worker').length > 0) play.killOne('worker');
        play.start('worker');
      });
      const turnId = await play.send(play.ann, [[QUICK]]);
      await play.ended(turnId);
      expect(await play.calls(turnId)).toEqual([{ end: 'OutcomeUnknown', starts: 0 }]);
    }));
});
