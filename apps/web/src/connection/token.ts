const KEY = 'switchyard.token';

/** The JWT of this tab, or null. It never leaves the tab's session storage except in requests to this host. */
export function readToken(): string | null {
  return sessionStorage.getItem(KEY);
}

/** Whom the token names, without any proof; undefined when it cannot be read. */
export function subjectOf(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    const { sub } = JSON.parse(atob(payload)) as { sub?: unknown };
    return typeof sub === 'string' ? sub : undefined;
  } catch {
    return undefined;
  }
}

export function writeToken(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}
