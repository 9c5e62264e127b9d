import { z } from 'zod';
import { modelNameSchema } from '#contracts';
import { positive } from './positive.js';

/** A provider (`anthropic`) or one of its models (`anthropic/claude-…`), as in `MODEL`. */
const modelKeySchema = z
  .string()
  .max(200)
  .regex(/^[a-z0-9-]+(\/\S+)?$/, { error: 'must be a provider (anthropic) or provider/model' });

/** The price of a million tokens, in the operator's unit. */
const amount = z.number().min(0).max(1_000_000);
const priceSchema = z.strictObject({ input: amount, cached_input: amount.optional(), output: amount });

const modelSettingsSchema = z.strictObject({
  requests_per_minute: positive(10_000_000).optional(),
  tokens_per_minute: positive(1_000_000_000).optional(),
  streams: positive(1_000_000).optional(),
  context_tokens: z.int().min(256).max(100_000_000).optional(),
  max_output_tokens: z.int().min(1).max(10_000_000).optional(),
  fallback: z.array(modelNameSchema).max(10).optional(),
  price: priceSchema.optional(),
});
export type ModelsOfFile = Record<string, z.output<typeof modelSettingsSchema>>;

/** A model, or several as a pattern with `*`. */
const allowedModelSchema = z
  .string()
  .max(200)
  .regex(/^(\*|demo|[a-z0-9-]+\/\S+)$/, { error: 'must be a model, provider/* or *' });

/** `allow` is next to the models: no provider has this name. */
export const modelsSchema = z
  .object({ allow: z.array(allowedModelSchema).max(500).optional() })
  .catchall(modelSettingsSchema)
  .superRefine((models, context) => {
    for (const key of Object.keys(models)) {
      const problem = key === 'allow' ? undefined : modelKeySchema.safeParse(key).error?.issues[0];
      if (problem) context.addIssue({ code: 'custom', path: [key], message: problem.message });
    }
  })
  .transform(({ allow, ...models }) => ({ allow, models }))
  .prefault({});

/** The limits of the whole installation for a provider or model. */
export interface ModelBudget {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  /** The number of parallel streamed answers. */
  streams?: number;
}

export function toModelBudgets(models: ModelsOfFile): ReadonlyMap<string, ModelBudget> {
  const budgets = new Map<string, ModelBudget>();
  for (const [name, settings] of Object.entries(models)) {
    const { requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute, streams } = settings;
    // A model that has only other settings has no separate budget.
    if (requestsPerMinute ?? tokensPerMinute ?? streams)
      budgets.set(name, { requestsPerMinute, tokensPerMinute, streams });
  }
  return budgets;
}

/** The prices of a million tokens. */
export interface ModelPrice {
  input: number;
  /** The price of input from the provider's cache. */
  cachedInput: number;
  output: number;
}

export function toModelPrices(models: ModelsOfFile): ReadonlyMap<string, ModelPrice> {
  const prices = new Map<string, ModelPrice>();
  for (const [name, { price }] of Object.entries(models)) {
    if (!price) continue;
    const { input, cached_input: cachedInput = input, output } = price;
    prices.set(name, { input, cachedInput, output });
  }
  return prices;
}
