import { LOCAL_USER_ID } from '#contracts';
import { readToken, subjectOf, writeToken } from './token.js';

const KEY = 'switchyard.person';

/**
 * Takes the token for the next connection. False when it names another user than the previous one: the page must then
 * restart, because its memory belongs to the previous user.
 */
export function acceptToken(token: string): boolean {
  const subject = subjectOf(token);
  const before = localStorage.getItem(KEY);
  const isOther = subject !== undefined && before !== null && before !== subject;
  if (isOther) forgetOwnTexts();
  if (subject !== undefined) localStorage.setItem(KEY, subject);
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
  const own = Object.keys(localStorage).filter((key) => /^switchyard\.(draft|outbox)\./.test(key));
  for (const key of own) localStorage.removeItem(key);
  location.hash = '';
}
