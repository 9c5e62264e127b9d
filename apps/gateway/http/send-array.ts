import type { Response } from 'express';
import { drained } from './drained.js';

/** Characters that are sent at once. */
const CHUNK_LENGTH = 16 * 1024;

/**
 * Answers with a JSON array, row by row: the next rows are read when the client has taken those before, and no more
 * once it has left. What fails before the first row is an error like any other; after that the connection breaks.
 */
export async function sendArray(response: Response, rows: AsyncGenerator<object>): Promise<void> {
  let row = await rows.next();
  response.status(200).type('application/json');
  let text = '[';
  try {
    for (let isFirst = true; !row.done; isFirst = false, row = await rows.next()) {
      text += `${isFirst ? '' : ','}${JSON.stringify(row.value)}`;
      if (text.length < CHUNK_LENGTH) continue;
      if (!response.write(text)) await drained(response);
      if (response.closed) return;
      text = '';
    }
    response.end(`${text}]`);
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await rows.return(undefined);
  }
}
