import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { ConversationEvent, EventOf, Snapshot, TurnView, View } from '#contracts';
import { emptyView, hasEnded, reduce } from '#turn';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { Viewer } from './viewer.js';

type Received = ConversationEvent | Snapshot;

/**
 * What must hold of everything that a viewer was sent about an ended turn: its view is the one that a newcomer at
 * `gateway` gets, tokens follow each other without a hole or a repetition, every end of a call comes before the next
 * step's tokens, and the turn ends once.
 */
export async function checkTranscript(
  viewer: Viewer,
  gateway: SwitchyardProcess,
  { conversation_id, turn_id }: { conversation_id: string; turn_id: string },
): Promise<TurnView> {
  const told = viewer.received.filter((event) => event.conversation_id === conversation_id);
  checkTokens(told, turn_id);
  checkEndsBeforeNextStep(told, conversation_id, turn_id);
  checkOneEnd(told, turn_id);
  const newcomer = await Viewer.connect(gateway.url);
  try {
    await newcomer.join(conversation_id);
    const own = () => viewer.turn(conversation_id, turn_id);
    const fresh = () => newcomer.turn(conversation_id, turn_id);
    // An end may still be on its way to one of the two.
    await waitFor(() => own() !== undefined && isDeepStrictEqual(own(), fresh()), {
      what: 'the same view',
    }).catch(() => expect(own()).toEqual(fresh()));
    return fresh()!;
  } finally {
    newcomer.close();
  }
}

interface Stream {
  attempt: number;
  length: number;
}

function checkTokens(told: Received[], turnId: string): void {
  let streams = new Map<number, Stream>();
  for (const event of told) {
    if (event.type === 'snapshot') streams = streamsOf(event.view, turnId);
    else if (event.turn_id === turnId) takeStreamEvent(streams, event);
  }
}

function streamsOf(view: View, turnId: string): Map<number, Stream> {
  const steps = view.turns.find((turn) => turn.turn_id === turnId)?.steps ?? [];
  return new Map(steps.map(({ n, attempt, text }) => [n, { attempt, length: text.length }]));
}

function takeStreamEvent(streams: Map<number, Stream>, event: ConversationEvent): void {
  if (event.type === 'step_started' || event.type === 'step_restarted') {
    const isNew = event.attempt > (streams.get(event.step)?.attempt ?? -1);
    if (isNew) streams.set(event.step, { attempt: event.attempt, length: 0 });
  } else if (event.type === 'token') takeToken(streams, event);
}

function takeToken(streams: Map<number, Stream>, { step, attempt, offset, content }: EventOf<'token'>): void {
  const before = streams.get(step);
  const stream = before && before.attempt >= attempt ? before : { attempt, length: 0 };
  expect({ step, attempt, offset }).toEqual({ step, attempt: stream.attempt, offset: stream.length });
  streams.set(step, { attempt, length: stream.length + content.length });
}

function checkEndsBeforeNextStep(told: Received[], conversationId: string, turnId: string): void {
  let view = emptyView(conversationId);
  for (const event of told) {
    if (event.type === 'token' && event.turn_id === turnId && event.step > 1) {
      const turn = view.turns.find((candidate) => candidate.turn_id === turnId);
      const open = turn?.steps[event.step - 2]?.calls.filter((call) => !hasEnded(call));
      expect(open).toEqual([]);
    }
    view = reduce(view, event);
  }
}

function checkOneEnd(told: Received[], turnId: string): void {
  const own = told.flatMap((event) =>
    event.type !== 'snapshot' && event.turn_id === turnId ? [event.type] : [],
  );
  const ends = own.filter((type) => type === 'complete' || type === 'cancelled' || type === 'error');
  expect(ends.length).toBeLessThanOrEqual(1);
  if (ends.length === 1)
    expect(own.slice(own.indexOf(ends[0]!)).filter((type) => type === 'token')).toEqual([]);
}
