import type { Call, Claim, Turn } from '#contracts';
import type { ModelRequest } from '#llm';
import type { PublishOutcome } from '#messaging';
import { inSpan, startSpan, turnAttributes, type Span } from '#tracing';
import { toolsetOf } from '#turn';
import { ChatSpan } from '../ask/chat-span.js';

/** One drive of a turn as its trace shows it (docs/operations.md, "Traces"). */
export class TurnTrace {
  private readonly drive: Span;
  /** The step that runs, or ran last. */
  private step: string | undefined;
  /** The runs of tools whose results arrived since the last step. */
  private results: string[] = [];

  /** `before`: the claim of the driver that this one continues for. */
  constructor(
    private readonly turn: Turn,
    claim: { attempt: number; owner: string; before: Claim | undefined },
  ) {
    this.drive = startSpan('drive turn', {
      kind: 'consumer',
      parent: turn.traceparent,
      links: [claim.before?.traceparent],
      attributes: {
        ...this.place,
        'switchyard.process.id': claim.owner,
        'switchyard.claim.attempt': claim.attempt,
      },
    });
  }

  /** For the claim of this drive. */
  get traceparent(): string | undefined {
    return this.drive.traceparent;
  }

  /** The result of a tool arrived, from this span. The next step links to it. */
  noteResult(traceparent: string | undefined): void {
    if (traceparent !== undefined) this.results.push(traceparent);
  }

  /** `work` returns the kind of the row that it committed; undefined if it was interrupted. */
  async inStep(n: number, work: () => Promise<string | undefined>): Promise<void> {
    const links = this.results.splice(0);
    const attributes = { ...this.place, 'switchyard.step': n };
    await inSpan('step', { parent: this.below, links, attributes }, async (span) => {
      this.step = span.traceparent;
      span.set({ 'switchyard.step.kind': (await work()) ?? 'interrupted' });
    });
  }

  /** A request to a model's provider. */
  startChat(request: ModelRequest): ChatSpan {
    return new ChatSpan(request, { parent: this.step ?? this.below, place: this.place });
  }

  /** Sends a call to its queue. `send` passes the `traceparent` on, from which its worker continues. */
  async inSend<T extends { published?: PublishOutcome }>(
    { tool_call_id, tool_name }: Call,
    send: (traceparent: string | undefined) => Promise<T>,
  ): Promise<T> {
    const queue = `tools.${toolsetOf(tool_name)}`;
    const attributes = {
      ...this.place,
      'messaging.operation.type': 'send',
      'messaging.destination.name': queue,
      'gen_ai.tool.name': tool_name,
      'gen_ai.tool.call.id': tool_call_id,
    };
    const options = { kind: 'producer', parent: this.step ?? this.below, attributes } as const;
    return inSpan(`send ${queue}`, options, async (span) => {
      const sent = await send(span.traceparent ?? this.turn.traceparent);
      if (sent.published !== 'confirmed') span.fail(sent.published ?? 'not_sent');
      return sent;
    });
  }

  /** `how`: the end of the drive, or the class of the error that ended it. */
  end(how: string, { isFailure = false } = {}): void {
    this.drive.set({ 'switchyard.drive.end': how });
    if (isFailure) this.drive.fail(how);
    this.drive.end();
  }

  private get below(): string | undefined {
    return this.drive.traceparent ?? this.turn.traceparent;
  }

  private get place() {
    return turnAttributes({ turn_id: this.turn._id, conversation_id: this.turn.conversation_id });
  }
}
