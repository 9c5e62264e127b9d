import { describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { SystemClock } from '#time';
import type { ConversationSeed } from '../../turns/submit-turn.js';
import type { Bindings } from '../../people/bindings.js';
import type { knownHistorySchema } from './unnamed-turns.js';
import { digestHistory } from './history-key.js';
import { UnnamedTurns } from './unnamed-turns.js';

const said = [{ user: 'A', assistant: '1' }];
const brought = { said: digestHistory(said), written: said, kind: 'x' };

function setUp(putting = () => Promise.resolve()) {
  const rows = new Map<string, Parameters<Bindings<typeof knownHistorySchema>['put']>[2]>();
  const places: ConversationSeed[] = [];
  const warnings: string[] = [];
  const unnamed = new UnnamedTurns({
    turns: {
      start: (_user, _message, place) => {
        places.push(place!);
        return Promise.resolve({ conversation_id: 'conv_1', turn_id: 't', number: 7, stream: {} as never });
      },
    },
    known: {
      get: (userId, key) => Promise.resolve(rows.get(`${userId} ${key}`)),
      put: async (userId, key, value) => {
        await putting();
        rows.set(`${userId} ${key}`, value);
      },
    },
    clock: new SystemClock(),
    log: { warn: (_fields: object, message: string) => void warnings.push(message) } as never,
  });
  const start = (id: string, kind = 'x', more = {}) =>
    unnamed.start({ id, isOperator: false, roles: [] }, { content: 'B', ...more }, { ...brought, kind });
  return { unnamed, start, places, rows, warnings };
}

const next = { said: digestHistory([...said, { user: 'B', assistant: '2' }]), written: [], kind: 'x' };
const ann = { id: 'ann', isOperator: false, roles: [] };

describe('UnnamedTurns', () => {
  it('finds the turn that gave the answer, for the same user and kind only', async () => {
    const { unnamed, start, places } = setUp();
    await (await start('ann')).remember('2');
    await unnamed.start(ann, { content: 'C' }, next);
    await unnamed.start({ ...ann, id: 'bob' }, { content: 'C' }, next);
    await unnamed.start(ann, { content: 'C' }, { ...next, kind: 'y' });
    await unnamed.start(ann, { content: 'C', client_message_id: 'resend' }, next);
    const known = { conversationId: 'conv_1', after: 7 };
    expect(places.map(({ continues }) => continues)).toEqual([
      undefined,
      known,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('records no turn with a client’s message id or a context', async () => {
    const { start, rows } = setUp();
    await (await start('ann', 'x', { client_message_id: 'm1' })).remember('2');
    await (await start('ann', 'x', { options: { context: 'Pinned.' } })).remember('2');
    expect(rows.size).toBe(0);
  });

  it('keeps a bounded number of rows per user, the latest ones', async () => {
    const { unnamed, rows } = setUp();
    for (let i = 0; i < 10_000; i++)
      await (await unnamed.start(ann, { content: `B${i}` }, brought)).remember('2');
    expect(rows.size).toBeLessThanOrEqual(4_096);
    expect(rows.size).toBeGreaterThan(3_000);
  });

  it('fails no request when the store does not record a turn', async () => {
    const { start, warnings } = setUp(() => Promise.reject(new StoreUnavailableError('away')));
    await (await start('ann')).remember('2');
    expect(warnings).toEqual(['conversation binding not stored']);
  });
});
