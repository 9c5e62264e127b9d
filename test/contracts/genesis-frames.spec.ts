import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { GenesisFrames } from '../../apps/gateway/dialects/genesis-chat/genesis-frames.js';
import {
  aCall,
  aStep,
  aTurn,
  failed,
  PLACE,
  succeeded,
} from '../../apps/gateway/dialects/genesis-chat/testing/sample-turn.js';
import type { TurnNews } from '../../apps/gateway/dialects/stream/turn-stream.js';
import { readGolden } from './golden.js';

const mcp = aCall('B', { display_name: 'mcp:files:read', tool_name: 'files.read', source: 'mcp' });
const local = aCall('A');
const error = { code: 'model_error' as const, message: 'The model did not answer.' };

const TURNS: Record<string, TurnNews[]> = {
  completed: [
    { type: 'turn_started' },
    { type: 'text', step: 1, text: 'Let me see.' },
    { type: 'step_committed', step: aStep(1, 'Let me see.', [local, mcp]) },
    { type: 'call_started', step: 1, call: local },
    { type: 'call_started', step: 1, call: mcp },
    { type: 'call_ended', step: 1, call: failed(mcp, 'no such file') },
    { type: 'call_ended', step: 1, call: succeeded(local, '15') },
    { type: 'text', step: 2, text: 'It is 15.' },
    { type: 'turn_ended', turn: aTurn('completed', { message_id: 'turn_1:2' }) },
  ],
  failed: [
    { type: 'text', step: 1, text: 'Let me' },
    { type: 'step_restarted', step: 1 },
    { type: 'turn_ended', turn: aTurn('failed', { error }) },
  ],
  cancelled: [{ type: 'turn_ended', turn: aTurn('cancelled') }],
};

/* A change here is a change of what Genesis front ends are sent; additive ones are recorded with UPDATE_GOLDEN=1. */
it.each(Object.entries(TURNS))('the frames of a %s turn have not changed', (name, news) => {
  const frames = new GenesisFrames(PLACE, {}, { wall: () => Date.parse('2026-01-01T00:00:09.000Z') });
  const sent = news.flatMap((one) => frames.next(one).map(({ frame }) => frame));
  if (process.env.UPDATE_GOLDEN === '1') {
    const file = join(import.meta.dirname, 'golden', 'genesis-chat', `${name}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(sent, null, 2)}\n`);
  }
  expect(JSON.parse(JSON.stringify(sent))).toStrictEqual(readGolden(`genesis-chat/${name}`));
});
