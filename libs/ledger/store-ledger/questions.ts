import { isDeepStrictEqual } from 'node:util';
import { newMessage, type Answer, type ToolCallBody } from '#contracts';
import type { Ports } from '#journal';
import { timestampOf } from '#time';
import { inputId } from '#turn';
import type { AskedQuestion, Question } from '../port/call-ledger.port.js';

/** Writes the row first, so that every process that hears of the question finds it. */
export async function askQuestion(
  ports: Ports,
  body: ToolCallBody,
  question: Question,
  place: { after: number; expireMs: number },
): Promise<AskedQuestion> {
  const asked = await putQuestion(ports, body, question, place);
  const answer = await readAnswer(ports, body, asked.number);
  if (!answer) announceQuestion(ports, body, question, asked);
  return { ...asked, answer };
}

export function readAnswer({ store }: Ports, body: ToolCallBody, number: number): Promise<Answer | null> {
  return store.getAnswer(inputId(body.tool_call_id, 'input', number));
}

/** No answer in time is an answer too: like any other, it is given once. */
export async function giveUpAsking(ports: Ports, body: ToolCallBody, number: number): Promise<Answer> {
  const { store, bus, clock } = ports;
  const { tool_call_id, turn_id, conversation_id } = body;
  const at = timestampOf(clock);
  const _id = inputId(tool_call_id, 'input', number);
  const given = { action: 'cancel' as const, by: 'system' };
  const { won, row } = await store.answer({ _id, turn_id, conversation_id, ...given, at });
  if (won) {
    const place = { conversation_id, turn_id, timestamp: at };
    bus.emit({ type: 'input_answered', ...place, tool_call_id, number, ...given });
    // The turn has been parked: an orchestrator has to wait for the end of the call.
    await bus.publish('turns', newMessage(ports, 'turn.advance', { turn_id, conversation_id }));
  }
  return row;
}

async function putQuestion(
  { store, me, clock }: Ports,
  { tool_call_id, turn_id, conversation_id }: ToolCallBody,
  question: Question,
  { after, expireMs }: { after: number; expireMs: number },
): Promise<Omit<AskedQuestion, 'answer'>> {
  for (let number = after + 1; ; number++) {
    const now = clock.wall();
    const expires_at = new Date(now + expireMs).toISOString();
    const { row } = await store.answer({
      _id: inputId(tool_call_id, 'question', number),
      turn_id,
      conversation_id,
      question: { ...question, expires_at },
      by: me,
      at: new Date(now).toISOString(),
    });
    const stands = row.question;
    const isSame =
      stands?.message === question.message &&
      stands.connection === question.connection &&
      isDeepStrictEqual(stands.schema, question.schema);
    if (isSame) return { number, expiresAt: Date.parse(stands.expires_at) };
  }
}

function announceQuestion(
  ports: Ports,
  { tool_call_id, turn_id, conversation_id, n: step, reply_to }: ToolCallBody,
  { message, schema, connection, among }: Question,
  { number, expiresAt }: { number: number; expiresAt: number },
): void {
  const timestamp = timestampOf(ports.clock);
  const expires_at = new Date(expiresAt).toISOString();
  const place = { conversation_id, turn_id, timestamp, step, tool_call_id };
  const asked = { number, message, schema, connection, among, expires_at };
  ports.bus.emit({ type: 'input_required', ...place, ...asked });
  // Parks the turn now instead of at its driver's next check.
  void ports.bus.send(reply_to, newMessage(ports, 'turn.advance', { turn_id, conversation_id }));
}
