import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Store } from '../port/store.port.js';
import type { TurnsPage } from '../port/turn-store.port.js';
import {
  makeCallId,
  makeId,
  sampleAnswer,
  sampleClaim,
  sampleOutcome,
  sampleStep,
  sampleTurn,
} from './sample-rows.js';

/** 12,000 bytes, 4,000 characters. */
const LONG = '€'.repeat(4_000);
/** One long text, and not two. */
const ONE = 20_000;

export function describeBoundedReads(store: () => Store): void {
  describe('turns up to a number of bytes', () => {
    const conversation_id = makeId();
    const turns = [1, 2, 3, 4, 5, 6, 7].map((number) => sampleTurn({ conversation_id, number }));
    const numbers = async (page: TurnsPage) =>
      (await store().listTurns(conversation_id, page)).map(({ number }) => number);

    /** Each turn except the last has one long text, each in a row of another kind. */
    beforeAll(async () => {
      const [inTurn, inStep, inCall, inOutcome, inClaim, inAnswer] = turns;
      inTurn!.content = LONG;
      for (const turn of turns) await store().insertTurn(turn);
      const id = makeCallId();
      await store().commitStep(sampleStep(inStep!, 1, { blocks: [{ type: 'text', text: LONG }] }));
      await store().commitStep(sampleStep(inCall!, 1, { error: { code: 'internal', message: LONG } }));
      await store().settle(sampleOutcome(inOutcome!, id, { data: { LONG } }));
      const decides = sampleOutcome(inClaim!, makeCallId(), { data: { LONG } });
      await store().claim(sampleClaim(inClaim!, decides._id, 1, { purpose: 'settle', decides }));
      await store().answer(sampleAnswer(inAnswer!, makeCallId(), { content: { LONG } }));
    });

    it.each([1, 2, 3, 4, 5])('counts all rows of turn %i', async (number) => {
      expect(await numbers({ after: number - 1, limit: 2, bytes: ONE })).toEqual([number]);
      expect(await numbers({ after: number - 1, limit: 2, bytes: 2 * ONE })).toEqual([number, number + 1]);
      expect(await numbers({ before: number + 2, limit: 2, bytes: ONE })).toEqual([number + 1]);
      expect(await numbers({ before: number + 2, limit: 2, bytes: 2 * ONE })).toEqual([number, number + 1]);
    });

    it('lists as many as fit, from the end that was asked for, and whole', async () => {
      const page = { limit: 100, bytes: 45_000 };
      expect(await store().listTurns(conversation_id, page)).toEqual(turns.slice(3));
      expect(await store().listTurns(conversation_id, { ...page, after: 0 })).toEqual(turns.slice(0, 3));
      expect(await numbers({ ...page, limit: 2 })).toEqual([6, 7]);
      expect(await numbers({ ...page, before: 1 })).toEqual([]);
      expect(await numbers({ ...page, bytes: 100 * ONE })).toEqual([1, 2, 3, 4, 5, 6, 7]);
    });

    it('lists one that does not fit, when it is the first', async () => {
      expect(await numbers({ limit: 100, bytes: 1 })).toEqual([7]);
      expect(await numbers({ before: 7, limit: 100, bytes: 1 })).toEqual([6]);
      expect(await numbers({ after: 0, limit: 100, bytes: 1 })).toEqual([1]);
    });

    it('lists unended ones from the first on', async () => {
      const unended = async (bytes: number) =>
        (await store().listUnendedTurns(conversation_id, bytes)).map(({ number }) => number);
      await store().setTurnStatus(turns[1]!._id, 'completed');
      expect(await unended(1)).toEqual([1]);
      expect(await unended(2 * ONE)).toEqual([1, 3, 4]);
      expect(await unended(100 * ONE)).toEqual([1, 3, 4, 5, 6, 7]);
      expect(await store().listUnendedTurns(makeId(), 1)).toEqual([]);
    });
  });
}
