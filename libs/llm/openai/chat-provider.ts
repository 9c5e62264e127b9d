import type { NamedProvider } from '../port/failed-request.js';
import type { ToolForm } from '../schemas/provider-tool.js';
import type { ChatFeatures } from './chat-features.js';

/** What the adapter of Chat Completions must know about a service with that API. */
export interface ChatProvider extends NamedProvider, ToolForm {
  /** The part of a model's name before the slash. */
  name: string;
  /** The URL of the public service or of the usual port, before `/chat/completions`. */
  publicUrl: string;
  /** The service sends thoughts as content, between tags. */
  thoughtsInContent?: true;
  features(model: string): ChatFeatures;
}
