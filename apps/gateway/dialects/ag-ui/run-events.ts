import type { CallView, StepView, TurnView } from '#contracts';
import type { TurnNews } from '../stream/turn-stream.js';
import type { AgUiEvent, AgUiMessage, Interrupt } from './ag-ui-event.js';
import { PROTOCOL_VERSION } from './ag-ui-event.js';
import { ReasoningEvents } from './reasoning-events.js';
import { resultMessageId, stepMessageId } from './run-messages.js';

/** The ids of a run: its client's and ours. */
export interface RunPlace {
  threadId: string;
  runId: string;
  conversation_id: string;
  turn_id: string;
}

/** The events of the turn that an earlier run has sent and this run continues. */
export interface AlreadySent {
  /** Steps up to this one. */
  step: number;
  /** Calls whose result is known. */
  ended: ReadonlySet<string>;
}

const CANCELLED = 'Cancelled: The turn ended before this call was answered.';

/** Writes a turn as the events of a run, in the grammar of AG-UI 1.0. One per run. */
export class RunEvents {
  private step: number | undefined;
  private message: string | undefined;
  /** Calls that the client waits for. */
  private readonly open = new Set<string>();
  /** Calls that have asked a person. */
  private readonly asking = new Set<string>();
  private readonly reasoning: ReasoningEvents;

  constructor(
    private readonly place: RunPlace,
    private readonly alreadySent: AlreadySent = { step: 0, ended: new Set() },
  ) {
    this.reasoning = new ReasoningEvents(place.turn_id);
  }

  /** The first events, before anything is known of the turn. `earlier`: messages that the client does not know. */
  begin(earlier: AgUiMessage[], known: AgUiMessage[]): AgUiEvent[] {
    const { threadId, runId, conversation_id, turn_id } = this.place;
    const metadata = { conversation_id, turn_id };
    const started = { type: 'RUN_STARTED' as const, threadId, runId };
    return [
      { ...started, protocolVersion: PROTOCOL_VERSION, metadata },
      // A client keeps its own messages in place, so the earlier ones are sent first, on their own.
      ...(earlier.length > 0 ? [earlier, known].map(snapshot) : []),
    ];
  }

  next(news: TurnNews): AgUiEvent[] {
    this.count(news);
    if ('step' in news && this.isAlreadySent(news)) return [];
    switch (news.type) {
      case 'step_started':
        return [...this.endStep(), ...this.startStep(news.step)];
      case 'thinking':
        return [...this.startStep(news.step), ...this.endMessage(), ...this.reasoning.next(news)];
      case 'text':
        return [...this.startStep(news.step), ...this.say(news.step, news.text)];
      case 'step_committed':
        return [...this.reasoning.end(), ...this.endMessage(), ...this.calls(news.step)];
      case 'call_ended':
        return [...this.startStep(news.step), resultOf(news.call)];
      case 'tool_progress': {
        const { tool_call_id: toolCallId, progress, total, message } = news;
        return [custom('tool_progress', { toolCallId, progress, total, message })];
      }
      case 'waiting':
        return [custom('waiting', { reason: news.reason, retryAfterMs: news.retry_after_ms })];
      case 'turn_ended':
        return [...this.close(), this.endOf(news.turn)];
      case 'gateway_stopping':
        return [
          this.fail('The server is restarting. The answer will be in the thread.', 'server_restarting'),
        ];
      // The first of a turn follows what `begin` says; the rest needs what only the journal has.
      case 'turn_started':
      case 'step_restarted':
      case 'call_started':
      case 'call_asks':
        return [];
    }
  }

  /** A step restarts: the remaining messages take its text back. */
  restart(remaining: AgUiMessage[]): AgUiEvent[] {
    const wasTold = this.message !== undefined;
    const ends = [...this.reasoning.end(), ...this.endMessage()];
    return wasTold ? [...ends, snapshot(remaining)] : ends;
  }

  /** Whether an open call asks a person, or has asked one. */
  get mayWait(): boolean {
    return this.asking.size > 0;
  }

  /** Whether every ended call was sent, so that the client waits only for these calls. */
  waitsOnlyFor(calls: readonly string[]): boolean {
    return [...this.open].every((id) => calls.includes(id));
  }

  /** A question ends the run; another run continues with the answers. */
  interrupt(interrupts: Interrupt[]): AgUiEvent[] {
    return [...this.close(), this.finished({ type: 'interrupt', interrupts })];
  }

  fail(message: string, code: string): AgUiEvent {
    return { type: 'RUN_ERROR', message, code };
  }

  private count(news: TurnNews): void {
    if (news.type === 'call_asks') this.asking.add(news.call.tool_call_id);
    if (news.type === 'call_ended')
      for (const calls of [this.open, this.asking]) calls.delete(news.call.tool_call_id);
    if (news.type !== 'step_committed') return;
    for (const { tool_call_id } of news.step.calls)
      if (!this.alreadySent.ended.has(tool_call_id)) this.open.add(tool_call_id);
  }

  private isAlreadySent(news: Extract<TurnNews, { step: unknown }>): boolean {
    if (news.type === 'call_ended') return this.alreadySent.ended.has(news.call.tool_call_id);
    if (news.type === 'tool_progress' || news.type === 'call_asks') return false;
    const n = typeof news.step === 'number' ? news.step : news.step.n;
    return n <= this.alreadySent.step;
  }

  private startStep(step: number): AgUiEvent[] {
    if (this.step === step) return [];
    const ends = this.endStep();
    this.step = step;
    return [...ends, { type: 'STEP_STARTED', stepName: nameOf(step) }];
  }

  private endStep(): AgUiEvent[] {
    if (this.step === undefined) return [];
    const { step } = this;
    this.step = undefined;
    return [...this.reasoning.end(), ...this.endMessage(), { type: 'STEP_FINISHED', stepName: nameOf(step) }];
  }

  private say(step: number, delta: string): AgUiEvent[] {
    const messageId = stepMessageId(this.place.turn_id, step);
    const content = { type: 'TEXT_MESSAGE_CONTENT' as const, messageId, delta };
    if (this.message === messageId) return [content];
    const ends = [...this.reasoning.end(), ...this.endMessage()];
    this.message = messageId;
    return [...ends, { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }, content];
  }

  private endMessage(): AgUiEvent[] {
    if (this.message === undefined) return [];
    const messageId = this.message;
    this.message = undefined;
    return [{ type: 'TEXT_MESSAGE_END', messageId }];
  }

  private calls({ n, calls }: StepView): AgUiEvent[] {
    const parentMessageId = stepMessageId(this.place.turn_id, n);
    return calls.flatMap(({ tool_call_id: toolCallId, tool_name: toolCallName, args }): AgUiEvent[] => [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args) },
      { type: 'TOOL_CALL_END', toolCallId },
    ]);
  }

  private close(): AgUiEvent[] {
    return [...this.reasoning.end(), ...this.endMessage(), ...this.endStep()];
  }

  private endOf({ status, error, usage }: TurnView): AgUiEvent {
    if (status === 'failed')
      return this.fail(error?.message ?? 'The turn failed.', error?.code ?? 'internal');
    if (status === 'cancelled') return this.finished({ type: 'cancelled' });
    const { input_tokens: inputTokens = 0, output_tokens: outputTokens = 0 } = usage ?? {};
    const totalTokens = inputTokens + outputTokens;
    const cost = { inputTokens, outputTokens, totalTokens, cachedInputTokens: usage?.cached_tokens ?? 0 };
    return { ...this.finished({ type: 'success' }), usage: [cost] };
  }

  private finished(outcome: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>['outcome']) {
    const { threadId, runId } = this.place;
    return { type: 'RUN_FINISHED' as const, threadId, runId, outcome };
  }
}

function nameOf(step: number): string {
  return `step-${step}`;
}

function snapshot(messages: AgUiMessage[]): AgUiEvent {
  return { type: 'MESSAGES_SNAPSHOT', messages };
}

function custom(name: 'tool_progress' | 'waiting', value: object): AgUiEvent {
  return { type: 'CUSTOM', name, value };
}

function resultOf({ tool_call_id: toolCallId, result, error }: CallView): AgUiEvent {
  const content = error ? `${error.error_type}: ${error.error_message}` : (result ?? CANCELLED);
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: resultMessageId(toolCallId),
    toolCallId,
    content,
    role: 'tool',
  };
}
