import { createHash } from 'node:crypto';
import { confusableSkeleton } from './confusable-names.js';

/** What an account is found by. */
export interface AccountKey {
  field: 'email_key' | 'username_key';
  key: string;
}

export function emailKey(email: string): string {
  return hashOf('email', email.toLowerCase());
}

export function usernameKey(username: string): string {
  return hashOf('username', username.normalize('NFKC').toLowerCase());
}

/** The same for usernames that look alike. */
export function lookKey(username: string): string {
  return hashOf('look', confusableSkeleton(username));
}

/** Of what somebody signs in with: usernames have no `@`, addresses do. */
export function keyOfName(name: string): AccountKey {
  const trimmed = name.trim();
  return trimmed.includes('@')
    ? { field: 'email_key', key: emailKey(trimmed) }
    : { field: 'username_key', key: usernameKey(trimmed) };
}

function hashOf(kind: string, text: string): string {
  return createHash('sha256').update(`${kind}:${text}`).digest('base64url');
}
