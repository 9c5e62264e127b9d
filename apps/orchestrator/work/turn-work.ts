import type { CatalogTool, ToolChoice } from '#contracts';
import type { ModelMessage } from '#turn';
import type { RequestImages } from '../ask/request-images.js';
import type { TurnMemory } from './turn-memory.js';
import type { TurnTrace } from './turn-trace.js';

/** The conversation's settings while the turn is driven, as they were when the turn was taken up. */
export interface ConversationAtTakeUp {
  /** Whether the conversation is marked as deleted. */
  isDeleted: boolean;
  /** Which tools its turns may use. */
  tools: ToolChoice | undefined;
  /** The `provider/model` of its turns that choose none; undefined: the deployment's. */
  model: string | undefined;
}

/** A turn that this process has taken up, with everything that is needed to drive it. */
export interface TurnWork {
  memory: TurnMemory;
  /** The attempt of this process's claim on the turn. */
  claimAttempt: number;
  /** The messages of earlier turns; read only. */
  history: ModelMessage[];
  /** Loads what the messages name. */
  images: RequestImages;
  /** Tools of which an earlier turn had a call approved. */
  approvedBefore: ReadonlySet<string>;
  /** The catalogue pinned by the turn's first claim. */
  catalogue: CatalogTool[];
  conversation: ConversationAtTakeUp;
  trace: TurnTrace;
}
