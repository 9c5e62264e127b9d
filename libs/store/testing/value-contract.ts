import { describe, expect, it } from '@jest/globals';
import type { Call, Step, Turn } from '#contracts';
import type { Store } from '../port/store.port.js';
import { StoreSetupError } from '../port/store-errors.js';
import {
  makeCallId,
  makeId,
  sampleAnswer,
  sampleClaim,
  sampleConversation,
  sampleOutcome,
  sampleStep,
  sampleTurn,
} from './sample-rows.js';

/** Parsed from JSON, because in a literal `__proto__` would set the prototype instead of a key. */
const hostileObject = JSON.parse(`{
  "$where": "sleep(1000)", "$set": { "status": "completed" }, "a.b.c": { "$gt": "" }, "": { "": [] }, "_id": "mine",
  "__proto__": { "polluted": true }, "constructor": { "prototype": { "polluted": true } }, "toString": null,
  "hasOwnProperty": 1, "$": { ".": { "$": 0 } }, "numbers": [0, -0.5, 1e300, 9007199254740991],
  "nested": [[[{ "__proto__": [1] }]]]
}`) as Record<string, unknown>;

const unusualTexts = [
  '',
  ' \t\r\n\u2028\u2029 ',
  'naïve — Ελληνικά — 日本語 — עברית \u202e',
  '👩‍👩‍👧‍👦 e\u0301 \u{10FFFF} \uFEFF\uFFFE',
  'half a pair: \ud83d and \udc69',
  `'; DROP TABLE turns; -- " \\ %s ? $1 :a @b`,
  '$where',
  '__proto__',
  '{"json": true}',
  'null',
  '007',
];

function callWith(callId: string, args: Record<string, unknown>): Call {
  const names = { tool_name: 'math.add', display_name: 'add', source: 'local' as const };
  return { tool_call_id: callId, ...names, arguments: args, class: 'once', timeout_ms: 1, approval: 'none' };
}

export function describeValues(store: () => Store): void {
  describe('values', () => {
    async function reread(turn: Turn, step: Step): Promise<void> {
      expect(await store().commitStep(step)).toEqual({ won: true, row: step });
      const stored = (await store().readJournal(turn._id))!.steps[0]!;
      expect({ ...stored, calls: [] }).toStrictEqual({ ...step, calls: [] });
      expect(JSON.stringify(stored.calls)).toBe(JSON.stringify(step.calls));
    }

    it('come back with the keys that people, models and tools chose, as data only', async () => {
      const turn = sampleTurn({ options: { model: '$x/y.z', tools: { block: ['__proto__'] } } });
      const callId = makeCallId();
      const outcome = sampleOutcome(turn, callId, { data: hostileObject });
      const question = { message: 'Sure?', schema: hostileObject, expires_at: turn.at };
      const claim = sampleClaim(turn, callId, 1, { purpose: 'settle', decides: outcome });
      const answer = sampleAnswer(turn, callId, {
        decision: undefined,
        question,
        action: 'accept',
        content: hostileObject,
      });
      await store().insertTurn(turn);
      const calls = [callWith(callId, hostileObject)];
      await reread(turn, sampleStep(turn, 1, { calls, model: 'test/$x.y' }));
      await store().claim(claim);
      await store().settle(outcome);
      await store().answer(answer);
      const journal = (await store().readJournal(turn._id))!;
      expect(journal.turn).toEqual(turn);
      expect(JSON.stringify(journal.claims[0]!.decides!.data)).toBe(JSON.stringify(hostileObject));
      expect(JSON.stringify(journal.outcomes[0]!.data)).toBe(JSON.stringify(hostileObject));
      expect(JSON.stringify(journal.answers[0]!.question!.schema)).toBe(JSON.stringify(hostileObject));
      expect(JSON.stringify(journal.answers[0]!.content)).toBe(JSON.stringify(hostileObject));
      expect(journal.answers[0]!.action).toBe('accept');
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    });

    it.each(unusualTexts)('keep the text %j', async (text) => {
      const turn = sampleTurn({ content: text });
      const conversation = sampleConversation({ title: text });
      await store().insertTurn(turn);
      await store().insertConversation(conversation);
      await reread(turn, sampleStep(turn, 1, { blocks: [{ type: 'text', text }] }));
      await store().settle(sampleOutcome(turn, makeCallId(), { explanation: text, data: { text } }));
      expect((await store().getTurn(turn._id))!.content).toBe(text);
      expect((await store().getConversation(conversation._id))!.title).toBe(text);
      const [outcome] = await store().listOutcomes([turn._id]);
      expect(outcome).toMatchObject({ explanation: text, data: { text } });
      await store().updateConversation(conversation._id, { title: `${text}!` });
      expect((await store().getConversation(conversation._id))!.title).toBe(`${text}!`);
    });

    it.each(['', '007', '7', '1e3', "o'brien", 'ü@example.org', '$ne'])(
      'keep apart the user id %j',
      async (userId) => {
        const conversation = sampleConversation({ user_id: userId });
        await store().insertConversation(conversation);
        const listed = await store().listConversations(userId, { skip: 0, limit: 100 });
        expect(listed).toContainEqual(conversation);
        expect(new Set(listed.map((row) => row.user_id))).toEqual(new Set([userId]));
      },
    );

    it('keep 4 MiB of text in a step and 65,536 characters in a turn', async () => {
      const turn = sampleTurn({ content: '\u{1F600}'.repeat(32_768) });
      await store().insertTurn(turn);
      const text = 'é'.repeat(2 * 1024 * 1024);
      const step = sampleStep(turn, 1, { blocks: [{ type: 'text', text }] });
      await store().commitStep(step);
      expect((await store().getStep(turn._id, 1))!.blocks[0]).toEqual({ type: 'text', text });
      expect((await store().getTurn(turn._id))!.content).toBe(turn.content);
    });

    it('leave fields out that were undefined and keep those that were null', async () => {
      const turn = sampleTurn({ traceparent: undefined });
      await store().insertTurn(turn);
      const stored = (await store().getTurn(turn._id))!;
      expect('traceparent' in stored).toBe(false);
      expect(stored.due_at).toBeNull();
    });

    it('never take an object in the place of an id for a query', async () => {
      await store().insertTurn(sampleTurn());
      const anything = { $ne: null } as unknown as string;
      const found = await store()
        .getTurn(anything)
        .catch(() => 'refused');
      expect([null, 'refused']).toContain(found);
    });

    it('never take a missing id for all rows, or for those that lack one', async () => {
      const binding = { user_id: 'ann', dialect: 'one', key: 'a', value: '', at: '2026-03-01T10:00:00.000Z' };
      const { row } = await store().insertBinding({ _id: makeId(), ...binding });
      const missing = undefined as unknown as string;
      for (const remove of [store().removeBinding(missing), store().removeBindingsOf(missing)])
        await expect(remove).rejects.toThrow(StoreSetupError);
      expect(await store().getBinding(row._id)).toEqual(row);
    });
  });
}
