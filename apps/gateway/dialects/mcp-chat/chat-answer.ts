import type { CallView, TurnView } from '#contracts';
import { serverToolName } from '../identity/server-tool-name.js';
import type { TurnNews } from '../stream/turn-stream.js';
import { finalTextOf, RESTARTING, failureReason } from './turn-end.js';

export interface CallBody {
  name: string;
  args: Record<string, unknown>;
  result?: string;
}

/** The answer of `POST /chat`. */
export type AnswerOfChat =
  | { status: 200; body: { response: string; tool_calls: CallBody[] } }
  | { status: number; body: { detail: string } };

/** Writes a turn as one answer. One per request. */
export class ChatAnswer {
  private readonly ended = new Map<string, CallView>();

  /** The answer, once the turn has ended. */
  next(news: TurnNews): AnswerOfChat | undefined {
    if (news.type === 'call_ended') this.ended.set(news.call.tool_call_id, news.call);
    if (news.type === 'gateway_stopping') return { status: 503, body: { detail: RESTARTING } };
    return news.type === 'turn_ended' ? this.answer(news.turn) : undefined;
  }

  private answer(turn: TurnView): AnswerOfChat {
    const detail = failureReason(turn);
    if (detail !== undefined) return { status: statusOfFailure(turn), body: { detail } };
    const calls = turn.steps.flatMap((step) => step.calls);
    const tool_calls = calls.map((call) => toCallBody(this.ended.get(call.tool_call_id) ?? call));
    return { status: 200, body: { response: finalTextOf(turn), tool_calls } };
  }
}

function statusOfFailure({ status, error }: TurnView): number {
  if (status === 'cancelled') return 409;
  return error?.code === 'budget_exceeded' ? 504 : 502;
}

function toCallBody(call: CallView): CallBody {
  const { args, error } = call;
  const result = error ? `${error.error_type}: ${error.error_message}` : call.result;
  return { name: serverToolName(call), args, ...(result === undefined ? {} : { result }) };
}
