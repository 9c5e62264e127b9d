import type { CatalogTool, ToolChoice } from '#contracts';
import type { ModelMessage } from '#turn';
import type { RequestImages } from '../ask/request-images.js';
import type { TurnMemory } from './turn-memory.js';

/** What counts of the conversation while the turn is driven, as it was when the turn was taken up. */
export interface ConversationAtTakeUp {
  /** Marked as deleted. */
  isDeleted: boolean;
  /** Which tools its turns may use. */
  tools: ToolChoice | undefined;
  /** `provider/model` of its turns that choose none; undefined: the deployment's. */
  model: string | undefined;
}

/** A turn that this process has taken up, with everything that driving it needs. */
export interface TurnWork {
  memory: TurnMemory;
  /** Attempt of the claim by which this process drives. */
  claimAttempt: number;
  /** Messages of the turns before; read only. */
  history: ModelMessage[];
  /** Loads what the messages name. */
  images: RequestImages;
  /** Tools of which a call was approved in a turn before. */
  approvedBefore: ReadonlySet<string>;
  /** The catalogue pinned by the turn's first claim. */
  catalogue: CatalogTool[];
  conversation: ConversationAtTakeUp;
}
