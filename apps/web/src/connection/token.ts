import { tabStorage } from '../state/device-storage.js';

const KEY = 'switchyard.token';
let hadToken = false;

/** The JWT of this tab, or null. It never leaves the tab's session storage except in requests to this host. */
export function readToken(): string | null {
  const token = tabStorage.get(KEY);
  hadToken ||= token !== null;
  return token;
}

/** True once the token of this page is gone. */
export function isSignedOut(): boolean {
  return readToken() === null && hadToken;
}

/** The user that the token names, without verification; undefined when it cannot be read. */
export function subjectOf(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { sub } = JSON.parse(new TextDecoder().decode(bytes)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

export function writeToken(token: string | null): void {
  if (token === null) tabStorage.remove(KEY);
  else {
    hadToken = true;
    tabStorage.set(KEY, token);
  }
}
