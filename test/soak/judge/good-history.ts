import type { Conversation, ConversationEvent, Journal } from '#contracts';
import { viewOf } from '#turn';
import {
  answerRow,
  at,
  callId,
  callRow,
  claimRow,
  CONVERSATION_ID,
  journalOf,
  outcomeRow,
  START,
  stepRow,
  turnRow,
} from '../../../libs/turn/testing/rows.js';
import type { Seen } from '../evidence.js';
import { wordsOf } from '../said.js';
import type { History } from './history.js';

export const WORKERS = { dies: 'worker-1', lives: 'worker-2' };
export const CALLS = { once: callId(1), repeat: callId(2) };
const conversation: Conversation = {
  _id: CONVERSATION_ID,
  user_id: 'local',
  title: '',
  policy: 'enqueue',
  created_at: at(0),
  updated_at: at(0),
};

/**
 * A small run without blame: one message, two calls, one of them approved by a person; the worker of both is killed, so
 * the one that acts once ends unknown and the other runs again elsewhere.
 */
export function goodHistory(): History {
  const journal = goodJournal();
  return {
    run: {
      seed: 1,
      command: 'test',
      startedAt: START,
      calmAt: START + 60_000,
      endedAt: START + 61_000,
      violations: [],
      modelRequests: 2,
    },
    store: [{ conversation, journals: [journal] }],
    starts: [
      start('once', 1, WORKERS.dies, 200),
      start('repeat', 1, WORKERS.dies, 200),
      start('repeat', 2, WORKERS.lives, 2_000),
    ],
    lives: [
      { at: START, what: 'born', place: 'w1', process_id: WORKERS.dies, pid: pidOf(WORKERS.dies) },
      { at: START, what: 'born', place: 'w2', process_id: WORKERS.lives, pid: pidOf(WORKERS.lives) },
      { at: START + 300, what: 'died', place: 'w1', process_id: WORKERS.dies, by: 'kill' },
    ],
    requests: [
      {
        at: START,
        viewer: 'p1',
        what: 'accepted',
        conversation_id: CONVERSATION_ID,
        turn_id: 'turn_1',
        client_message_id: 'message-1',
      },
      {
        at: START + 110,
        viewer: 'p1',
        what: 'answered',
        tool_call_id: CALLS.once,
        decision: 'approve',
      },
    ],
    fresh: [{ gateway: 'g1', view: viewOf(conversation, [journal], false) }],
    memory: [],
    deadLetters: [],
    complaints: [],
    viewers: [{ name: 'p1-a', seen: goodSight(journal) }],
  };
}

/** The only turn of a history. */
export function journalIn(history: History): Journal {
  return history.store[0]!.journals[0]!;
}

/** What the first viewer saw. */
export function sightIn(history: History): Seen[] {
  return history.viewers[0]!.seen as Seen[];
}

function goodJournal(): Journal {
  const calls = [
    callRow(1, { class: 'once', arguments: { label: 'once' }, approval: 'required' }),
    callRow(2, { class: 'idempotent', arguments: { label: 'repeat' } }),
  ];
  const unknown = { error_type: 'OutcomeUnknown', error_message: 'May have run.' };
  return journalOf({
    turn: turnRow(1, { status: 'completed' }),
    steps: [
      stepRow(1, wordsOf(1, 3).join(''), calls),
      stepRow(2, wordsOf(2, 3).join(''), [], { at: at(9_100) }),
    ],
    claims: [
      claimRow('turn_1', 1, { owner: 'orchestrator-1', at: at(20) }),
      claimRow(CALLS.once, 1, { owner: WORKERS.dies, at: at(150) }),
      claimRow(CALLS.repeat, 1, { owner: WORKERS.dies, at: at(150) }),
      claimRow(CALLS.repeat, 2, { owner: WORKERS.lives, at: at(1_900) }),
    ],
    answers: [answerRow(1, 'approval', { decision: 'approve', at: at(120) })],
    outcomes: [
      outcomeRow(1, { status: 'failure', data: null, error: unknown, at: at(9_000) }),
      outcomeRow(2, { attempt: 2, worker: WORKERS.lives, at: at(2_100) }),
    ],
  });
}

function goodSight(journal: Journal): Seen[] {
  const fields = { conversation_id: CONVERSATION_ID, turn_id: 'turn_1', step: 1, attempt: 100 };
  let offset = 0;
  const tokens = wordsOf(1, 3).map((content, i): ConversationEvent => {
    const token = { type: 'token' as const, ...fields, timestamp: at(30 + i), content, offset };
    offset += content.length;
    return token;
  });
  const { turn } = journal;
  const queued: ConversationEvent = {
    type: 'turn_queued',
    conversation_id: CONVERSATION_ID,
    turn_id: 'turn_1',
    timestamp: turn.at,
    number: 1,
    content: turn.content,
    client_message_id: turn.client_message_id,
    by: turn.user_id,
  };
  const view = viewOf(conversation, [journal], false);
  const snapshot = {
    type: 'snapshot' as const,
    conversation_id: CONVERSATION_ID,
    timestamp: at(9_200),
    view,
  };
  const started: ConversationEvent = { type: 'step_started', ...fields, timestamp: at(25), settled: [] };
  const events = [queued, started, ...tokens, snapshot];
  return [
    ...events.map((event): Seen => ({ at: Date.parse(event.timestamp), event })),
    { at: START + 9_300, left: CONVERSATION_ID },
  ];
}

function start(
  tool: 'once' | 'repeat',
  attempt: number,
  owner: string,
  ms: number,
): History['starts'][number] {
  return {
    at: START + ms,
    tool,
    label: tool,
    tool_call_id: CALLS[tool],
    attempt,
    worker_pid: pidOf(owner),
  };
}

function pidOf(processId: string): number {
  return 1_000 + Number(processId.split('-')[1]);
}
