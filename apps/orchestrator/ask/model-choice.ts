import { useOfModel } from '#bootstrap';
import type { Step } from '#contracts';
import { configuredModels, type ModelSettings } from '../admission/configured-models.js';

/** The models that may write a step, in the order in which to ask them: the chosen one and its fallbacks. */
export function candidateModels(
  chosen: string,
  steps: readonly Step[],
  { modelUse }: ModelSettings,
): string[] {
  const { fallback = [] } = useOfModel(modelUse, chosen);
  const models = [...new Set([chosen, ...fallback])];
  // A turn stays with its fallback, because trying the overloaded model first at each step would cost its back-off each
  // time.
  const last = steps.findLast(({ model }) => model !== undefined)?.model;
  const at = Math.max(0, models.indexOf(last ?? chosen));
  return [...models.slice(at), ...models.slice(0, at)];
}

/** The model as a metric label. A name that only a client knows becomes `other`. */
export function modelLabel(name: string, settings: ModelSettings): string {
  return configuredModels(settings).includes(name) ? name : 'other';
}
