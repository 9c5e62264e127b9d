import type { Anthropic } from '@anthropic-ai/sdk';
import type { StopReason, Usage } from '#contracts';
import type { ModelPart } from '../port/model.port.js';
import { toolCallPart } from '../port/tool-arguments.js';

type StreamEvent = Anthropic.Beta.BetaRawMessageStreamEvent;
type StartEvent = Anthropic.Beta.BetaRawContentBlockStartEvent;
type Delta = Anthropic.Beta.BetaRawContentBlockDelta;

type OpenBlock =
  { type: 'thinking'; text: string; signature: string } | { type: 'tool_use'; name: string; json: string };

const CUT_OFF: StopReason[] = ['max_tokens', 'context_overflow'];

/** Turns the events of one answer into parts. No I/O; one reader per answer. */
export class StreamReader {
  /** True once `message_stop` came: the answer is whole. */
  isComplete = false;
  private block: OpenBlock | undefined;
  /** The last call without arguments: only the stop reason tells whether it was intended or cut off. */
  private emptyCall: { name: string } | undefined;
  private stopReason: StopReason = 'end_turn';
  private counts = { input: 0, cacheRead: 0, cacheCreation: 0, output: 0 };

  /** `model`: the mark of its thinking. */
  constructor(private readonly model: string) {}

  read(event: StreamEvent): ModelPart[] {
    switch (event.type) {
      case 'message_start':
        this.count(event.message.usage);
        return [{ type: 'usage', usage: this.usage }];
      case 'content_block_start':
        return [...this.releaseEmptyCall('{}'), ...this.startBlock(event.content_block)];
      case 'content_block_delta':
        return this.extendBlock(event.delta);
      case 'content_block_stop':
        return this.endBlock();
      case 'message_delta':
        this.count(event.usage);
        this.stopReason = toStopReason(event.delta.stop_reason);
        return [{ type: 'usage', usage: this.usage }];
      case 'message_stop':
        this.isComplete = true;
        return [...this.endBlock(), ...this.releaseAtEnd(), this.end()];
      default:
        return [];
    }
  }

  /** Blocks of server tools are skipped; requests never ask for such tools. */
  private startBlock(block: StartEvent['content_block']): ModelPart[] {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'redacted_thinking') {
      return [{ type: 'thinking_end', text: '', data: block.data, model: this.model }];
    }
    if (block.type === 'tool_use') {
      this.block = { type: 'tool_use', name: block.name, json: inputAtStart(block.input) };
    }
    if (block.type !== 'thinking') return [];
    this.block = { type: 'thinking', text: block.thinking, signature: block.signature };
    return block.thinking === '' ? [] : [{ type: 'thinking', text: block.thinking }];
  }

  private extendBlock(delta: Delta): ModelPart[] {
    const { block } = this;
    if (delta.type === 'text_delta') return delta.text === '' ? [] : [{ type: 'text', text: delta.text }];
    if (block?.type === 'tool_use' && delta.type === 'input_json_delta') {
      block.json += delta.partial_json;
      return delta.partial_json === '' ? [] : [{ type: 'tool_call_delta', text: delta.partial_json }];
    }
    if (block?.type !== 'thinking') return [];
    if (delta.type === 'signature_delta') block.signature += delta.signature;
    if (delta.type !== 'thinking_delta' || delta.thinking === '') return [];
    block.text += delta.thinking;
    return [{ type: 'thinking', text: delta.thinking }];
  }

  private endBlock(): ModelPart[] {
    const { block } = this;
    this.block = undefined;
    if (!block) return [];
    if (block.type === 'thinking') {
      const { text, signature } = block;
      return [{ type: 'thinking_end', text, model: this.model, ...(signature !== '' && { signature }) }];
    }
    if (block.json === '') {
      this.emptyCall = { name: block.name };
      return [];
    }
    return [toolCallPart(block.name, block.json)];
  }

  private releaseEmptyCall(json: '{}' | ''): ModelPart[] {
    const call = this.emptyCall;
    this.emptyCall = undefined;
    return call ? [toolCallPart(call.name, json)] : [];
  }

  private releaseAtEnd(): ModelPart[] {
    return this.releaseEmptyCall(CUT_OFF.includes(this.stopReason) ? '' : '{}');
  }

  private end(): ModelPart {
    return { type: 'end', stop_reason: this.stopReason, usage: this.usage };
  }

  private get usage(): Usage {
    const { input, cacheRead, cacheCreation, output } = this.counts;
    return {
      input_tokens: input + cacheRead + cacheCreation,
      output_tokens: output,
      cached_tokens: cacheRead,
    };
  }

  /** Counts are cumulative; a count that is not reported again keeps its last value. */
  private count(usage: Anthropic.Beta.BetaUsage | Anthropic.Beta.BetaMessageDeltaUsage): void {
    const { counts } = this;
    counts.input = usage.input_tokens ?? counts.input;
    counts.cacheRead = usage.cache_read_input_tokens ?? counts.cacheRead;
    counts.cacheCreation = usage.cache_creation_input_tokens ?? counts.cacheCreation;
    counts.output = usage.output_tokens ?? counts.output;
  }
}

function toStopReason(reason: Anthropic.Beta.BetaStopReason | null): StopReason {
  if (reason === 'model_context_window_exceeded') return 'context_overflow';
  return reason === null || reason === 'compaction' ? 'end_turn' : reason;
}

/** Usually `{}`, and the input follows in deltas; a provider may also send it whole. */
function inputAtStart(input: unknown): string {
  const isEmpty = typeof input !== 'object' || input === null || Object.keys(input).length === 0;
  return isEmpty ? '' : JSON.stringify(input);
}
