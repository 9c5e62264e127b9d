import type { ConversationEvent, View } from '#contracts';

/**
 * What an event did to a view. `applied`: the view has changed and `event` (cut of what was known already) is what
 * a viewer of the old view needs to get to the new one. `passing`: nothing to keep, but worth showing. `known`:
 * repeated, overtaken, or of an older attempt. `gap`: something before it was missed, so the store must be read
 * again. Only `applied` changes the view.
 */
export type Reduced =
  | { verdict: 'applied' | 'passing'; view: View; event: ConversationEvent }
  | { verdict: 'known' | 'gap'; view: View };
