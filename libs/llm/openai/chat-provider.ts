import type { NamedProvider } from '../failed-request.js';
import type { ToolForm } from '../schemas/provider-tool.js';
import type { ChatFeatures } from './chat-features.js';

/** What the adapter of Chat Completions must know about a service that speaks them. */
export interface ChatProvider extends NamedProvider, ToolForm {
  /** What stands before the slash of a model's name. */
  name: string;
  /** Of the public service or the usual port; up to `/chat/completions`. */
  publicUrl: string;
  /** It sends thoughts as content, between tags. */
  thoughtsInContent?: true;
  features(model: string): ChatFeatures;
}
