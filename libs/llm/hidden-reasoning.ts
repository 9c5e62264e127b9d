import { providerOf, withoutProvider } from './model-name.js';
import { isReasoningModel } from './openai/chat-features.js';

/** Whether this model (`provider/model`) reasons at its user's cost and shows nothing of it. */
export function hidesReasoning(model: string): boolean {
  return providerOf(model) === 'openai' && isReasoningModel(withoutProvider(model));
}
