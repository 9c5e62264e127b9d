import { useOfModel, type ModelUse } from '#bootstrap';
import type { Step } from '#contracts';

interface Settings {
  /** The deployment's. */
  model: string;
  modelUse: ReadonlyMap<string, ModelUse>;
}

/** The models that may write a step, the one to ask first in front: the chosen one and those that stand in for it. */
export function candidateModels(chosen: string, steps: readonly Step[], { modelUse }: Settings): string[] {
  const { fallback = [] } = useOfModel(modelUse, chosen);
  const models = [...new Set([chosen, ...fallback])];
  // A turn stays with whoever stood in: to try the overloaded one first at each step would cost its back-off each time.
  const last = steps.findLast(({ model }) => model !== undefined)?.model;
  const at = Math.max(0, models.indexOf(last ?? chosen));
  return [...models.slice(at), ...models.slice(0, at)];
}

/** The model as a label of a metric: a name that only a client knows is `other`. */
export function modelLabel(name: string, { model, modelUse }: Settings): string {
  const configured = [...modelUse].flatMap(([key, { fallback = [] }]) => [key, ...fallback]);
  return [model, ...configured].includes(name) ? name : 'other';
}
