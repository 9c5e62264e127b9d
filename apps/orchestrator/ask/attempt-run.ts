import type { Block, ConversationEvent, StopReason, Usage } from '#contracts';
import type { FaultPoint } from '#faults';
import { ModelError, sayableName, type Model, type ModelPart, type ModelRequest } from '#llm';
import type { Time } from '#time';
import { AttemptUsage } from './attempt-usage.js';
import { newToolCallId } from './tool-call-id.js';
import { TokenStream, type StepPlace } from './token-stream.js';

/** A call as the model asked for it; `arguments` is undefined when they were not a JSON object. */
export interface AskedCall {
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown> | undefined;
  raw: string;
}

/** Text of the attempt that runs now, for viewers that join in the middle. */
export interface Progress {
  attempt: number;
  text: string;
}

export interface AttemptInput extends Time {
  faultPoint: FaultPoint;
  model: Model;
  request: ModelRequest;
  /** A provider answers, and counts tokens. False: the answer is known before, and uses none. */
  isCounted: boolean;
  signal: AbortSignal;
  emit: (event: ConversationEvent) => void;
  /** Called at the start of every attempt with something that always shows its text so far. */
  onAttempt: (progress: Progress) => void;
}

/** One attempt: parts in, tokens out, blocks kept. */
export class AttemptRun {
  readonly blocks: Block[] = [];
  /** Undefined until the attempt has ended, and if it used nothing. */
  usage: Usage | undefined;
  private readonly asked: AskedCall[] = [];
  private readonly tokens: TokenStream;
  private readonly thinking: TokenStream;

  constructor(
    place: StepPlace,
    private readonly input: AttemptInput,
  ) {
    this.tokens = new TokenStream('token', place, input);
    this.thinking = new TokenStream('thinking', place, input);
    const { tokens } = this;
    input.onAttempt({
      attempt: place.attempt,
      get text() {
        return tokens.text;
      },
    });
  }

  async consume(): Promise<{ asked: AskedCall[]; stopReason: StopReason }> {
    const { request, signal, isCounted } = this.input;
    signal.throwIfAborted();
    const usage = new AttemptUsage(request, this.input.clock);
    try {
      return await this.readAll(usage);
    } finally {
      if (isCounted) this.usage = usage.sum(signal.aborted);
    }
  }

  private async readAll(usage: AttemptUsage): Promise<{ asked: AskedCall[]; stopReason: StopReason }> {
    for await (const part of this.input.model.stream(this.input.request, this.input.signal)) {
      usage.read(part);
      if (this.input.signal.aborted) throw this.input.signal.reason;
      if (part.type === 'end') {
        this.finish();
        return { asked: this.asked, stopReason: part.stop_reason };
      }
      this.take(part);
      if (part.type === 'text') await this.input.faultPoint('token_streamed');
    }
    throw new ModelError('The model’s answer broke off.', 'network', { retryable: true });
  }

  /** Sends what the coalescer still holds. */
  finish(): void {
    this.tokens.end();
    this.thinking.end();
  }

  private take(part: Exclude<ModelPart, { type: 'end' }>): void {
    switch (part.type) {
      case 'text':
        return this.takeText(part.text);
      case 'thinking':
        return this.thinking.push(part.text);
      case 'thinking_end': {
        const { text, signature, data, model } = part;
        this.blocks.push({ type: 'thinking', text, signature, data, model });
        return;
      }
      case 'tool_call':
        return this.takeCall(part);
      case 'tool_call_delta':
      case 'usage':
        return;
    }
  }

  private takeText(text: string): void {
    if (text === '') return;
    const last = this.blocks.at(-1);
    if (last?.type === 'text') last.text += text;
    else this.blocks.push({ type: 'text', text });
    this.tokens.push(text);
  }

  private takeCall(part: Extract<ModelPart, { type: 'tool_call' }>): void {
    const tool_call_id = newToolCallId(this.input.random);
    const { name, raw } = part;
    this.asked.push({ tool_call_id, name, arguments: part.arguments, raw });
    this.blocks.push({
      type: 'tool_use',
      tool_call_id,
      name: sayableName(name),
      arguments: part.arguments ?? {},
    });
  }
}
