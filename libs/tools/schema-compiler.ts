import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as ajvFormats } from 'ajv-formats';

const OPTIONS = {
  strict: false,
  allErrors: false,
  // Never change the model's arguments.
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  addUsedSchema: false,
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
} as const;

/** By the address in `$schema`; the newest one for a missing or unknown address. */
const DIALECTS = [
  { name: '7', uris: /\bdraft-0[467]\b/, Validator: Ajv },
  { name: '2019', uris: /\b2019-09\b/, Validator: Ajv2019 },
];
const NEWEST_DIALECT = { name: '2020', Validator: Ajv2020 };

/** Turns reduced schemas into functions: 2020-12 (default), 2019-09, draft 7 and 6. One validator for each dialect. */
export class SchemaCompiler {
  private readonly dialects = new Map<string, Ajv>();

  /** Prepares for schemas of a dialect: compiling its meta-schema takes long the first time. */
  prepare(uri: unknown): void {
    this.dialect(uri);
  }

  compile(reduced: AnySchemaObject, uri: unknown): ValidateFunction {
    return this.dialect(uri).compile(reduced);
  }

  /** Frees the compiled schemas; also used after an interruption, because a validator cannot be trusted then. */
  clear(): void {
    this.dialects.clear();
  }

  private dialect(uri: unknown): Ajv {
    const { name, Validator } = DIALECTS.find(({ uris }) => uris.test(String(uri))) ?? NEWEST_DIALECT;
    const known = this.dialects.get(name);
    if (known) return known;
    const ajv = new Validator(OPTIONS);
    ajvFormats.default(ajv, { mode: 'fast' });
    // Meta-schemas use it on `pattern`; a pattern valid only in another language must not make a tool unusable.
    ajv.addFormat('regex', true);
    ajv.compile({} satisfies AnySchemaObject);
    this.dialects.set(name, ajv);
    return ajv;
  }
}

/** A pattern of another language accepts anything here: the tool's server checks it. */
function compilePattern(pattern: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  return /(?:)/;
}
