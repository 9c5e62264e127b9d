const KEY = 'switchyard.token';

/** The JWT of this tab, or null. It never leaves the tab's session storage except in requests to this host. */
export function readToken(): string | null {
  return sessionStorage.getItem(KEY);
}

export function writeToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}
