/** A person's way through the pages of an issuer, as a browser goes it: with cookies, and a click on "Allow". */
export async function walkToCallback(authorizationUrl: string, person: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  const issuer = url.origin;
  url.searchParams.set('login_hint', person);
  for (let steps = 0; steps < 12; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const text = await answer.text();
    const location = answer.headers.get('location') ?? /id="allow" href="([^"]+)"/.exec(text)?.[1];
    if (location === undefined)
      throw new Error(`The issuer answered ${answer.status}: ${text.slice(0, 500)}`);
    url = new URL(location, url);
    if (url.origin !== issuer) return url;
  }
  throw new Error('The issuer does not come to an end.');
}
