import { z } from 'zod';

/**
 * Text of people, models and tools, as the field of a row: any string, including lone surrogates. Every other string of
 * a row is an id, a name, a time or a hash. A store that cannot keep every string keeps such a field as JSON text, so a
 * field with this schema can hold any string.
 */
export const writtenTextSchema = z.string();
