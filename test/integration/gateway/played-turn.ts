import {
  completeResult,
  type Claim,
  type ConversationEvent,
  type Outcome,
  type Step,
  type Turn,
} from '#contracts';
import { toolEndEvent } from '#turn';
import { waitFor } from '../../services/wait-for.js';
import { DRIVER_ID, type Harness } from './gateway-harness.js';

/**
 * An orchestrator and a worker played by a test: rows first, then the event, as the real ones do. Whoever asks for the
 * text so far has it, too: a gateway may read at any moment.
 */
export class PlayedTurn {
  private text = '';
  private readonly committed = new Set<number>();

  constructor(
    private readonly harness: Harness,
    readonly turn: Turn,
  ) {}

  static async take(harness: Harness, turnId: string): Promise<PlayedTurn> {
    const turn = await harness.store.getTurn(turnId);
    if (!turn) throw new Error('no such turn');
    return new PlayedTurn(harness, turn);
  }

  get fields() {
    return {
      conversation_id: this.turn.conversation_id,
      turn_id: this.turn._id,
      timestamp: this.now(),
    };
  }

  /** By the gateway's clock, which a test may have moved. */
  private now(): string {
    return new Date(this.harness.clock.wall()).toISOString();
  }

  emit(event: ConversationEvent): void {
    this.harness.driver.emit(event);
  }

  /** An orchestrator hears of a turn when it is announced; a test that looks into the store may find it sooner. */
  async start(): Promise<void> {
    await waitFor(() => this.harness.announced.has(this.turn._id), {
      what: 'the announcement',
      intervalMs: 1,
    });
    await this.claim(this.turn._id, DRIVER_ID);
    this.emit({ type: 'turn_started', ...this.fields, number: this.turn.number });
  }

  beginStep(
    step: number,
    settled: Extract<ConversationEvent, { type: 'step_started' }>['settled'] = [],
  ): void {
    this.say(step, '');
    this.emit({ type: 'step_started', ...this.fields, step, attempt: 100, settled });
  }

  token(step: number, content: string, options: { lost?: boolean } = {}): void {
    const event = {
      type: 'token' as const,
      ...this.fields,
      step,
      attempt: 100,
      content,
      offset: this.text.length,
    };
    this.say(step, this.text + content);
    if (!options.lost) this.emit(event);
  }

  private say(step: number, text: string): void {
    this.text = text;
    this.harness.partials.set(this.turn._id, { step, attempt: 100, text });
  }

  stepRow(n: number, text: string, calls: Step['calls'] = []): Step {
    return {
      _id: `${this.turn._id}:${n}`,
      turn_id: this.turn._id,
      conversation_id: this.turn.conversation_id,
      turn_number: this.turn.number,
      n,
      attempt: 100,
      kind: 'model',
      blocks: [{ type: 'text', text }],
      calls,
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      // With a formatter, only its answer ends the turn.
      ...(this.turn.options.formatter && calls.length === 0 ? { final: true } : {}),
      usage: { input_tokens: 1, output_tokens: 1, cached_tokens: 0 },
      at: this.now(),
    };
  }

  async commit(
    n: number,
    text: string,
    calls: Step['calls'] = [],
    options: { lost?: boolean } = {},
  ): Promise<Step> {
    const row = this.stepRow(n, text, calls);
    await this.harness.store.commitStep(row);
    this.committed.add(n);
    if (!options.lost)
      this.emit({
        type: 'step_committed',
        ...this.fields,
        step: n,
        attempt: 100,
        text_length: text.length,
        calls: calls.map(({ tool_call_id, tool_name, display_name, source, arguments: args, approval }) => ({
          tool_call_id,
          tool_name,
          display_name,
          source,
          toolset: 'math',
          state: approval === 'required' ? ('awaiting_approval' as const) : ('queued' as const),
          attempt: 0,
          args,
        })),
      });
    return row;
  }

  complete(step: Step): void {
    const tokens = this.committed.size;
    this.emit({
      type: 'complete',
      ...this.fields,
      message_id: step._id,
      content: step.blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      // Of all steps, as a view from the store has it.
      usage: { input_tokens: tokens, output_tokens: tokens, cached_tokens: 0 },
    });
  }

  /** One whole answer without calls. */
  async answer(text: string): Promise<void> {
    await this.start();
    this.beginStep(1);
    this.token(1, text);
    this.complete(await this.commit(1, text));
  }

  async claim(workId: string, owner: string): Promise<Claim> {
    const { _id: turn_id, conversation_id } = this.turn;
    const at = this.now();
    const row: Claim = { _id: `${workId}:1`, turn_id, conversation_id, owner, n: 1, purpose: 'run', at };
    return (await this.harness.store.claim(row)).row;
  }

  async settle(
    call: Step['calls'][number],
    n: number,
    value: unknown,
  ): Promise<ReturnType<typeof toolEndEvent>> {
    const { _id: turn_id, conversation_id } = this.turn;
    const outcome: Outcome = {
      _id: call.tool_call_id,
      turn_id,
      conversation_id,
      n,
      ...completeResult({ status: 'success', data: { value } }),
      attempt: 1,
      worker: 'worker-1',
      duration_ms: 3,
      at: this.now(),
    };
    await this.harness.store.settle(outcome);
    return toolEndEvent(call, outcome);
  }
}

export function addCall(id: string, approval: 'none' | 'required' = 'none'): Step['calls'][number] {
  return {
    tool_call_id: `call_${id.padEnd(22, '0')}`,
    tool_name: 'math.add',
    display_name: 'add',
    source: 'local',
    arguments: { a: 1, b: 2 },
    class: 'read',
    timeout_ms: 30_000,
    approval,
  };
}
