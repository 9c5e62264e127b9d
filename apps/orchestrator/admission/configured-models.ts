import type { ModelUse } from '#bootstrap';

export interface ModelSettings {
  /** The deployment's model. */
  model: string;
  modelUse: ReadonlyMap<string, ModelUse>;
}

/** Every model that the deployment names. */
export function configuredModels({ model, modelUse }: ModelSettings): string[] {
  return [model, ...[...modelUse].flatMap(([key, { fallback = [] }]) => [key, ...fallback])];
}
