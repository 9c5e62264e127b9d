import type { ArtifactReference, ToolResult } from '#contracts';
import { timestampOf, type Clock } from '#time';
import { makeArtifact, outputBudget, referenceTo, ToolError, type Attachment } from '#tools';
import type { BoundedResult, CallLedger, WorkerCall } from '../port/call-ledger.port.js';

const MAX_ATTACHMENTS = 32;

/** The artifacts of one run of a call: its attachments, and the full text of a result that is too long. */
export class CallOutput {
  private readonly kept = new Map<string, ArtifactReference>();
  /** Attachments on their way to the store: a tool may hand over many at once. */
  private keeping = 0;

  constructor(
    private readonly ports: { ledger: Pick<CallLedger, 'putArtifact'>; clock: Pick<Clock, 'wall'> },
    private readonly call: WorkerCall,
    /** Bytes of the result's text; absent: 32 KiB. */
    private readonly maxBytes?: number,
  ) {}

  /** Of a `ToolContext`. The same content twice is one artifact. */
  async attach(attachment: Attachment): Promise<ArtifactReference> {
    if (this.kept.size + this.keeping >= MAX_ATTACHMENTS) {
      const error_message = `The tool attached more than ${MAX_ATTACHMENTS} outputs to one result.`;
      throw new ToolError({ error_type: 'ToolExecutionError', error_message });
    }
    this.keeping++;
    try {
      const reference = await this.keep(attachment);
      this.kept.set(reference.id, reference);
      return reference;
    } finally {
      this.keeping--;
    }
  }

  /** Bounds the text: a text that is too long goes to an artifact, and its head and tail stay. */
  async bound(given: ToolResult): Promise<BoundedResult> {
    const { result, overflow } = outputBudget(given, this.maxBytes);
    if (!overflow) return this.withReferences(result);
    const whole: ArtifactReference = { ...(await this.keep(overflow.whole)), whole: true };
    this.kept.set(whole.id, whole);
    return this.withReferences(overflow.withArtifact(whole.id));
  }

  private withReferences(result: ToolResult): BoundedResult {
    const artifacts = [...this.kept.values()];
    if (artifacts.length === 0) return result;
    if (result.status === 'failure') return { ...result, artifacts };
    const { artifacts: own, ...rest } = result.data ?? { text: '' };
    const ids = [...(Array.isArray(own) ? (own as unknown[]) : []), ...artifacts.map(({ id }) => id)];
    return { ...result, data: { ...rest, artifacts: ids }, artifacts };
  }

  private async keep(attachment: Attachment): Promise<ArtifactReference> {
    const { user_id, conversation_id, turn_id, tool_call_id } = this.call.body;
    const place = { user_id, conversation_id, turn_id, tool_call_id };
    const artifact = makeArtifact(place, attachment, timestampOf(this.ports.clock));
    await this.ports.ledger.putArtifact(this.call, artifact);
    return referenceTo(artifact);
  }
}
