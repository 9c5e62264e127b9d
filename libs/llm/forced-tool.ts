import { providerOf, withoutProvider } from './model-name.js';

/** These Claude families always think, and a model that thinks cannot be forced. */
const ALWAYS_THINKING = /^claude-(fable|mythos)-/;

/** Whether `tool_choice` binds this model (`provider/model`, or `demo`); one that it does not bind chooses freely. */
export function canForceTool(model: string): boolean {
  switch (providerOf(model)) {
    case 'ollama':
      return false;
    case 'anthropic':
      return !ALWAYS_THINKING.test(withoutProvider(model));
    default:
      return true;
  }
}
