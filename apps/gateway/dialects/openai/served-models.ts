import type { ClientRequest } from '#contracts';
import { PROVIDERS } from '#llm';
import { OpenAiRefusal } from './openai-error.js';

/** A model in the format of `GET /v1/models`. */
export interface ServedModel {
  id: string;
  object: 'model';
  /** Seconds since epoch. */
  created: number;
  owned_by: string;
}

/** The deployment's own choice, with its tools. */
const FLEET = 'switchyard';
/** As in `MODEL`; only orchestrators know whether one is configured. */
const NAMED = new RegExp(`^(demo|(${PROVIDERS.map(({ name }) => name).join('|')})/\\S{1,180})$`);

/** The deployment's own choice, and the `allowed` names that are not patterns. */
export function listModels(created: number, allowed: readonly string[] = []): ServedModel[] {
  const named = allowed.filter((name) => NAMED.test(name) && !name.includes('*'));
  return [FLEET, ...named].map((id) => toModel(id, created));
}

/** The model that a request for `id` names; undefined: the deployment's own choice. */
export function chosenModel(id: string): string | undefined {
  return id === FLEET ? undefined : id;
}

export function findModel(created: number, id: string): ServedModel {
  return toModel(servedId(id), created);
}

/** Of the turn's options; throws for what is not served. */
export function modelOption(id: string): Pick<NonNullable<ClientRequest<'message'>['options']>, 'model'> {
  const model = chosenModel(servedId(id));
  return model === undefined ? {} : { model };
}

function servedId(id: string): string {
  if (id !== FLEET && !NAMED.test(id)) throw unknownModel(id);
  return id;
}

function toModel(id: string, created: number): ServedModel {
  return { id, object: 'model', created, owned_by: id === FLEET ? FLEET : id.split('/')[0]! };
}

function unknownModel(id: string): OpenAiRefusal {
  const message = `The model '${id.slice(0, 200)}' does not exist. Use '${FLEET}', or <provider>/<model>, for example 'openai/gpt-5'.`;
  return new OpenAiRefusal(message, { status: 404, param: 'model', code: 'model_not_found' });
}
