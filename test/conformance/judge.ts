/** Names, or beginnings of names that end with `/`, with the reason why the scenario fails. */
export type Expected = Record<string, string>;

/** Whether a scenario ended as expected. */
export function judge(
  scenario: string,
  passed: boolean,
  expected: Expected,
): { isSurprise: boolean; text: string } {
  const key = Object.keys(expected).find((name) =>
    name.endsWith('/') ? scenario.startsWith(name) : scenario === name,
  );
  if (key === undefined) return { isSurprise: !passed, text: passed ? 'passes' : 'FAILS' };
  // Of a whole family some may pass without what the family is about.
  if (passed) return { isSurprise: !key.endsWith('/'), text: 'passes, though it is expected to fail' };
  return { isSurprise: false, text: `fails as expected: ${expected[key]}` };
}
