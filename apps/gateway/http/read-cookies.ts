/** The cookies of a request, by name; of two with the same name, the last. */
export function readCookies(header = ''): Map<string, string> {
  const pairs = header.split(';').map((pair) => pair.trim().split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}
