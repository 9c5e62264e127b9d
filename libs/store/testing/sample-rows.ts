import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import {
  completeResult,
  type Account,
  type Answer,
  type Claim,
  type Conversation,
  type Outcome,
  type ProcessRow,
  type Step,
  type Turn,
} from '#contracts';

const at = '2026-03-01T10:00:00.000Z';

export function makeId(): string {
  return randomBytes(12).toString('hex');
}

export function makeCallId(): string {
  return `call_${randomBytes(11).toString('hex')}`;
}

export function sampleConversation(fields: Partial<Conversation> = {}): Conversation {
  const times = { created_at: at, updated_at: at };
  return { _id: makeId(), user_id: makeId(), title: 'A talk', policy: 'enqueue', ...times, ...fields };
}

export function sampleTurn(fields: Partial<Turn> = {}): Turn {
  return {
    _id: makeId(),
    conversation_id: makeId(),
    number: 1,
    user_id: makeId(),
    client_message_id: makeId(),
    content: 'Hello',
    options: {},
    at,
    status: 'queued',
    due_at: null,
    ...fields,
  };
}

export function sampleStep(turn: Turn, n: number, fields: Partial<Step> = {}): Step {
  return {
    _id: `${turn._id}:${n}`,
    turn_id: turn._id,
    conversation_id: turn.conversation_id,
    turn_number: turn.number,
    n,
    attempt: 100,
    kind: 'model',
    blocks: [{ type: 'text', text: `step ${n}` }],
    calls: [],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2, cached_tokens: 0 },
    at,
    ...fields,
  };
}

export function sampleClaim(turn: Turn, workId: string, n: number, fields: Partial<Claim> = {}): Claim {
  const owner = `worker-${randomUUID()}`;
  const place = { turn_id: turn._id, conversation_id: turn.conversation_id };
  return { _id: `${workId}:${n}`, ...place, owner, n, purpose: 'run', at, ...fields };
}

export function sampleOutcome(turn: Turn, callId: string, fields: Partial<Outcome> = {}): Outcome {
  return {
    _id: callId,
    turn_id: turn._id,
    conversation_id: turn.conversation_id,
    n: 1,
    ...completeResult({ status: 'success', data: { sum: 3 } }),
    attempt: 1,
    worker: `worker-${randomUUID()}`,
    duration_ms: 12,
    at,
    ...fields,
  };
}

export function sampleAnswer(turn: Turn, callId: string, fields: Partial<Answer> = {}): Answer {
  const place = { turn_id: turn._id, conversation_id: turn.conversation_id };
  return { _id: `${callId}:approval`, ...place, decision: 'approve', by: makeId(), at, ...fields };
}

export function sampleAccount(fields: Partial<Account> = {}): Account {
  const name = makeId();
  return {
    _id: `user_${makeId()}`,
    number: randomInt(1, 2 ** 40),
    email: `${name}@$mail.example`,
    email_key: `e-${name}`,
    username: `\u{1F408} ${name}`,
    username_key: `u-${name}`,
    look_key: `l-${name}`,
    full_name: null,
    password: 'scrypt$…',
    role: 'user',
    is_active: true,
    created_at: at,
    ...fields,
  };
}

export function sampleProcess(): ProcessRow {
  return { _id: `worker-${randomUUID()}`, role: 'worker', host: 'here', beat: 0 };
}
