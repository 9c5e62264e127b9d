import type { CallView, ConversationEvent, ToolEnd, TurnView } from '#contracts';
import type { FakeGateway } from './fake-gateway.js';

interface AskedCall {
  tool: string;
  /** What people are shown; the bus name unless said. */
  display?: string;
  args: Record<string, unknown>;
  source?: 'local' | 'mcp';
  state?: 'queued' | 'awaiting_approval';
}

const ATTEMPT = 100;
const WORKER = 'worker-3f2a91b0-5b1c-4c39-9d8c-0a1b2c3d4e5f';

/** Writes the events of one turn, in the order in which the system would. */
export class FakeTurn {
  private calls = 0;
  /** Length of what was thought, by step. */
  private readonly thought = new Map<number, number>();

  constructor(
    private readonly gateway: FakeGateway,
    readonly conversationId: string,
    readonly turnId: string,
    readonly number: number,
  ) {}

  queue(content: string, clientMessageId: string): void {
    const { number } = this;
    this.publish({ type: 'turn_queued', number, content, client_message_id: clientMessageId, by: 'local' });
  }

  start(): this {
    return this.publish({ type: 'turn_started', number: this.number });
  }

  /** Starts the next step and streams a text into it. */
  say(text = ''): this {
    const before = this.view.steps.at(-1);
    const step = this.view.steps.length + 1;
    const settled = before?.calls.map((call) => endOf(this, before.n, call)) ?? [];
    this.publish({ type: 'step_started', step, attempt: ATTEMPT, settled });
    return text === '' ? this : this.stream(text);
  }

  /** A step that has made room: nothing is streamed of it. */
  summarise(summary: string): this {
    const step = this.say().step;
    return this.publish({
      type: 'step_committed',
      step: step.n,
      attempt: ATTEMPT,
      text_length: 0,
      calls: [],
      summary,
    });
  }

  stream(text: string): this {
    const step = this.step;
    return this.publish({
      type: 'token',
      step: step.n,
      attempt: ATTEMPT,
      offset: step.text.length,
      content: text,
    });
  }

  /** What the model thinks in the step that {@link say} has begun. */
  think(text: string): this {
    const step = this.step.n;
    const offset = this.thought.get(step) ?? 0;
    this.thought.set(step, offset + text.length);
    return this.publish({ type: 'thinking', step, attempt: ATTEMPT, offset, content: text });
  }

  /** Commits the step with the calls it asks for. */
  ask(...asked: AskedCall[]): this {
    return this.commit(asked);
  }

  /** Commits the step as the answer that takes the place of what these steps said. */
  replace(...replaces: number[]): this {
    return this.commit([], { replaces });
  }

  private commit(asked: AskedCall[], more: { replaces?: number[] } = {}): this {
    const calls = asked.map(
      ({ tool, display = tool, args, source = 'local', state = 'queued' }): CallView => {
        this.calls += 1;
        return {
          tool_call_id: `call_${this.turnId.slice(5, 25)}${String(this.calls).padStart(2, '0')}`,
          tool_name: tool,
          display_name: display,
          source,
          toolset: tool.split('.')[0]!,
          state,
          attempt: 0,
          args,
        };
      },
    );
    const step = this.step;
    return this.publish({
      type: 'step_committed',
      step: step.n,
      attempt: ATTEMPT,
      text_length: step.text.length,
      ...more,
      calls,
    });
  }

  run(index: number, attempt = 1): this {
    const call = this.call(index);
    const { tool_call_id, tool_name, display_name, source, toolset, args } = call;
    return this.publish({
      type: 'tool_start',
      step: this.step.n,
      tool_call_id,
      tool_name,
      display_name,
      tool_input: JSON.stringify(args),
      tool_args: args,
      source,
      toolset,
      attempt,
    });
  }

  progress(index: number, progress: number, total: number, message: string): this {
    const { tool_call_id } = this.call(index);
    return this.publish({
      type: 'tool_progress',
      step: this.step.n,
      tool_call_id,
      progress,
      total,
      message,
    });
  }

  question(
    index: number,
    message: string,
    schema: Record<string, unknown>,
    number = 1,
    more: { among?: number } = {},
  ): this {
    const { tool_call_id } = this.call(index);
    const expires_at = this.gateway.now();
    return this.publish({
      type: 'input_required',
      step: this.step.n,
      tool_call_id,
      number,
      message,
      schema,
      ...more,
      expires_at,
    });
  }

  answered(index: number, action: 'accept' | 'decline' | 'cancel', number = 1): this {
    const { tool_call_id } = this.call(index);
    return this.publish({ type: 'input_answered', tool_call_id, number, by: 'ann', action });
  }

  succeed(index: number, result: string, durationMs: number): this {
    return this.publish({
      type: 'tool_complete',
      ...this.ended(index, durationMs),
      tool_result: result,
      tool_output: result,
      status: 'success',
    });
  }

  fail(
    index: number,
    error: { type: string; message: string; details?: Record<string, unknown> },
    durationMs: number,
  ): this {
    return this.publish({
      type: 'tool_error',
      ...this.ended(index, durationMs),
      error_type: error.type,
      error_message: error.message,
      error_details: error.details,
    });
  }

  /** Commits the last step and ends the turn with its text. */
  complete(
    usage = { input_tokens: 8_412, output_tokens: 792, cached_tokens: 0 },
    stop_reason?: TurnView['stop_reason'],
  ): this {
    if (!this.step.committed) this.ask();
    const { n, text } = this.step;
    const fields = { message_id: `${this.turnId}:${n}`, content: text, usage, stop_reason };
    return this.publish({ type: 'complete', ...fields });
  }

  cancel(): this {
    if (this.view.steps.length > 0 && !this.step.committed) this.ask();
    return this.publish({ type: 'cancelled', message: 'Stopped.' });
  }

  /** The whole conversation goes, on another device. */
  sendDeleted(): void {
    this.publish({ type: 'cancelled', message: 'The conversation was deleted.', deleted: true });
    this.gateway.conversations.delete(this.conversationId);
  }

  breakOff(message: string): this {
    if (this.view.steps.length > 0 && !this.step.committed) this.ask();
    return this.publish({ type: 'error', message, code: 'model_error' });
  }

  call(index: number): CallView {
    return this.step.calls[index]!;
  }

  get view(): TurnView {
    const { turns } = this.gateway.conversations.get(this.conversationId)!.view;
    return turns.find((turn) => turn.turn_id === this.turnId)!;
  }

  private get step() {
    return this.view.steps.at(-1)!;
  }

  private ended(index: number, durationMs: number) {
    const { tool_call_id, tool_name, display_name, source, attempt } = this.call(index);
    const call = { tool_call_id, tool_name, display_name, source, attempt };
    return { ...call, step: this.step.n, worker: WORKER, duration_ms: durationMs };
  }

  private publish(fields: { type: ConversationEvent['type'] } & Record<string, unknown>): this {
    const { conversationId: conversation_id, turnId: turn_id } = this;
    const event = { conversation_id, turn_id, timestamp: this.gateway.now(), ...fields };
    this.gateway.publish(event as ConversationEvent);
    return this;
  }
}

/** What `step_started` carries of a call of the step before. */
function endOf(turn: FakeTurn, step: number, call: CallView): ToolEnd {
  const { tool_call_id, tool_name, display_name, source, attempt } = call;
  const ended = {
    conversation_id: turn.conversationId,
    turn_id: turn.turnId,
    timestamp: call.ended_at!,
    step,
    ...{ tool_call_id, tool_name, display_name, source, attempt },
    worker: call.worker!,
    duration_ms: call.duration_ms!,
  };
  if (call.error) return { type: 'tool_error', ...ended, ...call.error, error_details: undefined };
  const result = call.result ?? '';
  return { type: 'tool_complete', ...ended, tool_result: result, tool_output: result, status: 'success' };
}
