import { LOCAL_USER_ID } from '#contracts';
import { readToken, subjectOf, writeToken } from './token.js';

const KEY = 'switchyard.person';

/**
 * Takes the token for the next connection. False when it names another person than the one before: then the page
 * has to start anew, because what is in its memory belongs to that one.
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

/** True for the user id of who uses this page. */
export function isThisPerson(userId: string): boolean {
  const token = readToken();
  return userId === (token === null ? LOCAL_USER_ID : subjectOf(token));
}

/** What a person wrote and did not send must not be seen or sent by the next one. */
export function forgetOwnTexts(): void {
  const own = Object.keys(localStorage).filter((key) => /^switchyard\.(draft|outbox)\./.test(key));
  for (const key of own) localStorage.removeItem(key);
  location.hash = '';
}
