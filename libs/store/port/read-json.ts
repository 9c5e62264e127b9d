import { UnreadableRowError } from './store-errors.js';

/** The parser's own error quotes the text. */
export function readJson(collection: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableRowError(`A row of ${collection} is not JSON.`);
  }
}
