import { z } from 'zod';

/*
 * The form of a question to a person: one level of named fields, each a text, a number, yes or no, or a choice. It is
 * the part of JSON Schema that MCP allows. Other keywords are dropped: a third party's `pattern` would run in the
 * gateway and in the page, so only the asking server checks it.
 */

const MAX_FIELDS = 50;
const MAX_CHOICES = 500;

const labels = { title: z.string().max(500).optional(), description: z.string().max(4_000).optional() };
const word = z.string().max(4_000);
const count = z.int().min(0);
const choices = z.array(word).min(1).max(MAX_CHOICES);
const titledChoices = z
  .array(z.object({ const: word, title: z.string().max(500) }))
  .min(1)
  .max(MAX_CHOICES);

export const textFieldSchema = z.object({
  type: z.literal('string'),
  ...labels,
  minLength: count.optional(),
  maxLength: count.optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
  default: word.optional(),
});

export const numberFieldSchema = z.object({
  type: z.enum(['number', 'integer']),
  ...labels,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});

export const booleanFieldSchema = z.object({
  type: z.literal('boolean'),
  ...labels,
  default: z.boolean().optional(),
});

/** One of several choices: plain, with titles, or with separate titles as older servers write them. */
export const choiceFieldSchema = z.union([
  z.object({ type: z.literal('string'), ...labels, oneOf: titledChoices, default: word.optional() }),
  z.object({
    type: z.literal('string'),
    ...labels,
    enum: choices,
    enumNames: z.array(z.string().max(500)).optional(),
    default: word.optional(),
  }),
]);

/** Any number of several choices. */
export const choicesFieldSchema = z.object({
  type: z.literal('array'),
  ...labels,
  items: z.union([
    z.object({ anyOf: titledChoices }),
    z.object({ oneOf: titledChoices }),
    z.object({ type: z.literal('string'), enum: choices }),
  ]),
  minItems: count.optional(),
  maxItems: count.optional(),
  default: z.array(word).max(MAX_CHOICES).optional(),
});

export const questionFieldSchema = z.union([
  choiceFieldSchema,
  textFieldSchema,
  numberFieldSchema,
  booleanFieldSchema,
  choicesFieldSchema,
]);

export const questionSchemaSchema = z.object({
  type: z.literal('object'),
  properties: z
    .record(z.string().min(1).max(200), questionFieldSchema)
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, {
      error: `has more than ${MAX_FIELDS} fields`,
    })
    .meta({ maxProperties: MAX_FIELDS }),
  required: z.array(z.string()).optional(),
});

export type QuestionField = z.infer<typeof questionFieldSchema>;
export type QuestionSchema = z.infer<typeof questionSchemaSchema>;
