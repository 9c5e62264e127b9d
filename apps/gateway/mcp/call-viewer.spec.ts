import { describe, expect, it } from '@jest/globals';
import type { TurnView, View } from '#contracts';
import { emptyView } from '#turn';
import type { ServerEvent } from '../feeds/viewer.js';
import { CallViewer } from './call-viewer.js';

const at = '2026-01-01T00:00:00.000Z';

function turnView(turn_id: string, status: TurnView['status']): TurnView {
  return { turn_id, number: 1, content: '', by: 'ann', client_message_id: turn_id, at, status, steps: [] };
}

function snapshot(view: Partial<View>): ServerEvent {
  return {
    type: 'snapshot',
    conversation_id: 'conv_1',
    timestamp: at,
    view: { ...emptyView('conv_1'), ...view },
  };
}

/** A viewer of `turn_1`; `read`: what the journal says of it, in turn. */
function setUp(...read: (TurnView | Error)[]) {
  const reads = { count: 0 };
  const readTurn = () => {
    const next = read[Math.min(reads.count++, read.length - 1)]!;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
  const viewer = new CallViewer('turn_1', { onEvent: () => undefined, isAnswered: () => false, readTurn });
  return { viewer, reads };
}

const others = { turns: [turnView('turn_30', 'running')], earlier: true };

describe('CallViewer', () => {
  it('reads the journal for a turn that snapshots no longer contain', async () => {
    const { viewer } = setUp(turnView('turn_1', 'failed'));
    viewer.send(snapshot(others));
    expect(await viewer.news).toMatchObject({ is: 'failed', turn: { turn_id: 'turn_1' } });
  });

  it('reads again with the next snapshot while the turn has not ended', async () => {
    const { viewer, reads } = setUp(turnView('turn_1', 'queued'), turnView('turn_1', 'cancelled'));
    viewer.send(snapshot(others));
    viewer.send(snapshot(others));
    expect(reads.count).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    viewer.send(snapshot(others));
    expect(await viewer.news).toMatchObject({ is: 'failed' });
  });

  it('does not search for the turn of a new conversation', () => {
    const { viewer, reads } = setUp(turnView('turn_1', 'queued'));
    viewer.send(snapshot({}));
    expect(reads.count).toBe(0);
  });

  it('fails when the turn cannot be read, as after its conversation was deleted', async () => {
    const { viewer } = setUp(new Error('gone'));
    const fields = { conversation_id: 'conv_1', turn_id: 'turn_30', timestamp: at };
    viewer.send({ type: 'cancelled', ...fields, message: 'Gone.', deleted: true });
    await expect(viewer.news).rejects.toThrow('gone');
  });

  it('reports that the client has left, regardless of later events', async () => {
    const { viewer } = setUp(turnView('turn_1', 'failed'));
    viewer.leave();
    viewer.show(turnView('turn_1', 'failed'));
    expect(await viewer.news).toEqual({ is: 'left' });
  });
});
