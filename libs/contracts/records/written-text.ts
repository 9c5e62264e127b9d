import { z } from 'zod';

/**
 * What people, models and tools write, as the field of a row: any string, lone surrogates included. Any other string
 * of a row is an id, a name, a time or a hash. A store that cannot keep every string keeps this one as JSON text, so a
 * field that has this schema keeps it.
 */
export const writtenTextSchema = z.string();
