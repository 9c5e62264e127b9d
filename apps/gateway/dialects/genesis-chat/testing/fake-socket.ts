import type { TurnView } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { User } from '../../../people/auth/user.js';
import { RequestError } from '../../../errors/request-error.js';
import type { StartedTurn } from '../../host/dialect-turns.js';
import { TurnStream } from '../../stream/turn-stream.js';
import { GenesisSession } from '../genesis-session.js';
import type { OpenTurn } from '../open-turn.js';
import type { ServerFrame } from '../server-frame.js';
import type { Wire } from '../wire.js';
import { aTurn } from './sample-turn.js';

/** Everything that waits for nothing but promises has happened. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

class FakeWire implements Wire {
  readonly frames: ServerFrame[] = [];
  closed: number | undefined;
  isCutOff = false;
  private arrivals: (() => void)[] = [];

  async send(frame: ServerFrame): Promise<void> {
    this.frames.push(frame);
  }
  onceArrived(listener: () => void): void {
    this.arrivals.push(listener);
  }
  async arrive(): Promise<void> {
    for (const listener of this.arrivals.splice(0)) listener();
    await settle();
  }
  close(code: number): void {
    this.closed = code;
  }
  probe(): void {}
  cutOff(): void {
    this.isCutOff = true;
  }
}

export const ANN: User = { id: 'ann', isOperator: false, roles: [] };
/** What this conversation's messages are refused with. */
export const REFUSED = 'conv_refused';
/** The same, but only when the turn is about to be inserted. */
export const FULL = 'conv_full';

/** A session whose turns the test plays: a message to conversation `conv_x` is turn `turn_x`. */
export function aSession({
  maxWaiting = 8,
  follow,
}: { maxWaiting?: number; follow?: () => Promise<never> } = {}) {
  const clock = new VirtualClock(new SeededRandom(1));
  const wire = new FakeWire();
  const streams = new Map<string, TurnStream[]>();
  const notes: string[] = [];
  const begun = new Set<string>();
  const inserted: { turn_id: string; isNoted: boolean }[] = [];
  const streamOf = (conversation_id: string): StartedTurn => {
    const turn_id = conversation_id.replace('conv', 'turn');
    const stream = new TurnStream(turn_id, {
      readTurn: () => Promise.reject(new Error('everything is shown')),
      readCall: () => Promise.reject(new Error('nothing is cut')),
      onClose: () => undefined,
    });
    streams.set(turn_id, [...(streams.get(turn_id) ?? []), stream]);
    return { conversation_id, turn_id, number: 1, stream };
  };
  const note = (what: string) => (turn: OpenTurn) => {
    notes.push(`${what} ${turn.turn_id}`);
    return Promise.resolve();
  };
  let refusal: Error = new RequestError('busy', 'Not now.');
  const session = new GenesisSession('socket-1', ANN, wire, {
    clock,
    maxWaiting,
    turns: {
      start: async (_user, { conversation_id }, _place, noteTurn) => {
        const turn_id = conversation_id!.replace('conv', 'turn');
        if (conversation_id === REFUSED) throw refusal;
        await noteTurn?.({ conversation_id: conversation_id!, turn_id });
        if (conversation_id === FULL) throw refusal;
        inserted.push({ turn_id, isNoted: begun.has(turn_id) });
        return streamOf(conversation_id!);
      },
      follow: follow ?? (async (_user, turnId) => streamOf(turnId.replace('turn', 'conv'))),
    },
    openTurns: {
      begin: async (holder, place) => {
        begun.add(place.turn_id);
        return anOpenTurn({ ...place, socket: holder.socket });
      },
      forget: note('forget'),
      drop: note('drop'),
    },
    traffic: { check: () => undefined },
    log: {
      error: (fields) => notes.push((fields as { err: Error }).err.message),
      warn: () => undefined,
    },
  });
  const receive = async (text: string | undefined) => {
    session.receive(text);
    await settle();
  };
  return {
    session,
    clock,
    wire,
    notes,
    inserted,
    receive,
    refuseWith: (error: Error) => (refusal = error),
    say: (conversation_id: string) => receive(JSON.stringify({ conversation_id, content: 'hi' })),
    /** Sends the present turn to its followers. */
    show: async (turn_id: string, status: TurnView['status'], text = '') => {
      const steps = text === '' ? [] : [{ n: 1, attempt: 100, text, calls: [] }];
      const message_id = status === 'completed' ? { message_id: `${turn_id}:1` } : {};
      for (const stream of streams.get(turn_id) ?? [])
        stream.show(aTurn(status, { turn_id, steps, ...message_id }));
      await settle();
    },
    types: () =>
      wire.frames.map((frame) => `${frame.type} ${frame.turn_id ?? frame.conversation_id ?? ''}`.trim()),
  };
}

export function anOpenTurn(more: Partial<OpenTurn> = {}): OpenTurn {
  return {
    turn_id: 'turn_a',
    conversation_id: 'conv_a',
    attempt: 1,
    gateway: 'gateway-1',
    socket: 'socket-1',
    order: 0,
    is_dropped: false,
    user_id: ANN.id,
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}
