import type { Response } from 'express';
import { drained } from './drained.js';

/** The number of characters that are sent at once. */
const CHUNK_LENGTH = 16 * 1024;

/**
 * Answers with a JSON array, row by row. More rows are read once the client has received the previous ones, and none
 * after it has disconnected. A failure before the first row is an ordinary error; a later one breaks the connection.
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
