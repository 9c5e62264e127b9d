import { io } from 'socket.io-client';
import type { Snapshot } from '#contracts';
import { waitFor } from '../services/wait-for.js';
import { FILES, type FreshView } from './evidence.js';
import type { Recorder } from './recorder.js';

const SNAPSHOT_MS = 30_000;

/** Somebody who was not there before: writes down what this gateway shows of each conversation. */
export async function lookAfresh(
  gateway: string,
  conversationIds: readonly string[],
  recorder: Recorder,
): Promise<void> {
  const socket = io(gateway, { transports: ['websocket'], forceNew: true });
  const snapshots = new Map<string, Snapshot>();
  socket.on('snapshot', (snapshot: Snapshot) => snapshots.set(snapshot.conversation_id, snapshot));
  try {
    for (const conversation_id of conversationIds) {
      await socket.timeout(SNAPSHOT_MS).emitWithAck('join', { conversation_id });
      const snapshot = await waitFor(() => snapshots.get(conversation_id), {
        what: `the snapshot of ${conversation_id}`,
        timeoutMs: SNAPSHOT_MS,
      });
      const fresh: FreshView = { gateway, view: snapshot.view };
      recorder.record(FILES.fresh, fresh);
      snapshots.delete(conversation_id);
      await socket.timeout(SNAPSHOT_MS).emitWithAck('leave', { conversation_id });
    }
  } finally {
    socket.disconnect();
  }
}
