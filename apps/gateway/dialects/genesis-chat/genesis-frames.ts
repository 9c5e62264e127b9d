import type { CallView, TurnView } from '#contracts';
import { timestampOf, type Clock } from '#time';
import type { TurnNews } from '../stream/turn-stream.js';
import { timesOf, type FrameTimes } from './frame-times.js';
import {
  FAILURE_CODES,
  failureFrames,
  type FramePlace,
  type ResultStatus,
  type ServerFrame,
} from './server-frame.js';
import { ToolCards, type CardChange } from './tool-cards.js';

const STEP_BREAK = '\n\n';
const RESTARTED = '\n\n*(answer restarted)*\n\n';

/** A frame, and the time when it may be sent. */
export interface TimedFrame {
  frame: ServerFrame;
  notBefore: number;
}

/** Writes a turn as the frames of `/ws/chat`, in the order that its frontend needs. One per turn and socket. */
export class GenesisFrames {
  private readonly cards = new ToolCards();
  private readonly times: { first: number; complete: number };
  /** The step whose text was sent last; 0: no text yet. */
  private textStep = 0;
  /** What the cut-off socket had received, as far as is known; undefined once it has been sent again. */
  private missed: string | undefined;

  /** `isResumed`: it began on a socket that is gone; what is known by the first `caughtUp` is told as one text. */
  constructor(
    private readonly place: FramePlace,
    times: FrameTimes,
    private readonly clock: Pick<Clock, 'wall'>,
    { isResumed = false }: { isResumed?: boolean } = {},
  ) {
    this.times = timesOf(times);
    this.missed = isResumed ? '' : undefined;
  }

  next(news: TurnNews): TimedFrame[] {
    switch (news.type) {
      case 'text':
        return this.textFrames(news.step, news.text);
      case 'step_restarted':
        return this.say(RESTARTED);
      case 'step_committed':
        this.cards.commit(news.step);
        return [];
      case 'call_started':
        this.cards.change(news.call, 'running');
        return this.takeCards();
      case 'call_asks':
        if (news.call.state === 'awaiting_approval') this.cards.change(news.call, 'asking');
        return this.takeCards();
      case 'call_ended':
        this.cards.change(news.call, 'ended');
        return this.takeCards();
      case 'turn_ended':
        return [...this.caughtUp(), ...this.end(news.turn).map((frame) => this.timed(frame))];
      case 'turn_started':
      case 'step_started':
      case 'thinking':
      case 'tool_progress':
      case 'waiting':
      case 'gateway_stopping':
        return [];
    }
  }

  /** Nothing more is known right now. */
  caughtUp(): TimedFrame[] {
    const { missed } = this;
    if (missed === undefined) return [];
    this.missed = undefined;
    this.cards.forgetEnded();
    return [...this.say(missed), ...this.takeCards()];
  }

  private textFrames(step: number, text: string): TimedFrame[] {
    const isLater = this.textStep !== 0 && this.textStep !== step;
    this.textStep = step;
    return [...(isLater ? this.say(STEP_BREAK) : []), ...this.say(text)];
  }

  private say(content: string): TimedFrame[] {
    if (this.missed === undefined) return content === '' ? [] : [this.timed({ type: 'token', content })];
    this.missed += content;
    return [];
  }

  private takeCards(): TimedFrame[] {
    if (this.missed !== undefined) return [];
    return this.cards.take().flatMap((change) => this.cardFrames(change));
  }

  private cardFrames(change: CardChange): TimedFrame[] {
    const { call } = change;
    const named = { tool_name: call.display_name, tool_call_id: call.tool_call_id };
    if (change.type === 'start') {
      const timestamp = call.started_at ?? timestampOf(this.clock);
      const { args: tool_args, source } = call;
      const tool_input = JSON.stringify(tool_args);
      return [this.timed({ type: 'tool_start', ...named, tool_input, tool_args, source, timestamp })];
    }
    const timestamp = call.ended_at ?? timestampOf(this.clock);
    const duration = call.duration_ms === undefined ? {} : { duration_ms: call.duration_ms };
    const error_message = errorOf(call);
    const text = error_message === undefined ? (call.result ?? '') : `Error: ${error_message}`;
    const status: ResultStatus = error_message === undefined ? (call.status ?? 'success') : 'failure';
    const result = { tool_result: text, tool_output: text, source: call.source, status };
    const complete = this.timed({ type: 'tool_complete', ...named, ...result, timestamp, ...duration });
    if (error_message === undefined) return [complete];
    return [complete, this.timed({ type: 'tool_error', ...named, error_message, timestamp, ...duration })];
  }

  private end({ turn_id, status, message_id = turn_id, error }: TurnView): ServerFrame[] {
    if (status === 'completed' || status === 'cancelled') return [{ type: 'complete', message_id, status }];
    const { code, message } = error ?? { code: 'internal', message: 'Something went wrong.' };
    return failureFrames(FAILURE_CODES[code], message, turn_id);
  }

  private timed(frame: ServerFrame): TimedFrame {
    const { first, complete } = this.times;
    return {
      frame: { ...frame, ...this.place },
      notBefore: frame.type === 'complete' ? complete : first,
    };
  }
}

/** Undefined for a successful call. */
function errorOf({ state, error }: CallView): string | undefined {
  if (state === 'succeeded') return undefined;
  return error?.error_message ?? 'The turn ended before this call did.';
}
