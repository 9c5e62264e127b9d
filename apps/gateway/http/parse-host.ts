/** `host` without the scheme's default port; undefined for anything that is not just a name and a port. */
export function parseHost(host: string | undefined, protocol = 'http:'): URL | undefined {
  if (host === undefined || !/^[A-Za-z0-9.:[\]_-]+$/.test(host)) return undefined;
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}
