import { z } from 'zod';
import { modelNameSchema } from '#contracts';
import { positive } from './positive.js';

/** A provider (`anthropic`) or one of its models (`anthropic/claude-…`), as in `MODEL`. */
const modelKeySchema = z
  .string()
  .max(200)
  .regex(/^[a-z0-9-]+(\/\S+)?$/, { error: 'must be a provider (anthropic) or provider/model' });

export const modelBudgetsSchema = z
  .record(
    modelKeySchema,
    z.strictObject({
      requests_per_minute: positive(10_000_000).optional(),
      tokens_per_minute: positive(1_000_000_000).optional(),
      streams: positive(1_000_000).optional(),
      context_tokens: z.int().min(256).max(100_000_000).optional(),
      fallback: z.array(modelNameSchema).max(10).optional(),
    }),
  )
  .default({});

/** What the whole installation may ask of a provider or model. */
export interface ModelBudget {
  requestsPerMinute?: number;
  tokensPerMinute?: number;
  /** Answers that are being streamed at once. */
  streams?: number;
}

export function toModelBudgets(
  models: z.output<typeof modelBudgetsSchema>,
): ReadonlyMap<string, ModelBudget> {
  return new Map(
    Object.entries(models).map(([name, budget]) => [
      name,
      {
        requestsPerMinute: budget.requests_per_minute,
        tokensPerMinute: budget.tokens_per_minute,
        streams: budget.streams,
      },
    ]),
  );
}
