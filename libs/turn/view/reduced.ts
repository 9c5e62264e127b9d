import type { ConversationEvent, View } from '#contracts';

/**
 * The effect of an event on a view. `applied`: the view has changed, and `event`, without the already known part, takes
 * a viewer from the old view to the new one. `passing`: nothing to keep, but worth showing. `known`: repeated,
 * overtaken, or of an older attempt. `gap`: an earlier event was missed, so the store must be read again. Only
 * `applied` changes the view.
 */
export type Reduced =
  | { verdict: 'applied' | 'passing'; view: View; event: ConversationEvent }
  | { verdict: 'known' | 'gap'; view: View };
