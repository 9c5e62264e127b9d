import { LOCAL_USER_ID } from '#contracts';
import { deviceStorage } from '../state/device-storage.js';
import { readToken, subjectOf, writeToken } from './token.js';

const KEY = 'switchyard.person';

/**
 * Takes the token for the next connection. False when it names another user than the previous one: the page must then
 * restart, because its memory belongs to the previous user.
 */
export function acceptToken(token: string): boolean {
  const subject = subjectOf(token);
  const before = deviceStorage.get(KEY);
  const isOther = subject !== undefined && before !== null && before !== subject;
  if (isOther) forgetOwnTexts();
  if (subject !== undefined) deviceStorage.set(KEY, subject);
  writeToken(token);
  return !isOther;
}

/** True for the id of the user of this page. */
export function isThisPerson(userId: string): boolean {
  const token = readToken();
  return userId === (token === null ? LOCAL_USER_ID : subjectOf(token));
}

/** The next user must neither see nor send the unsent text of the previous one. */
export function forgetOwnTexts(): void {
  const own = ['switchyard.draft.', 'switchyard.outbox.'].flatMap((prefix) => deviceStorage.keys(prefix));
  for (const key of own) deviceStorage.remove(key);
  location.hash = '';
}
