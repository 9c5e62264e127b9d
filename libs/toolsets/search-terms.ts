const MAX_TERMS = 16;
const MAX_TERM_LENGTH = 64;
const STOP_WORDS = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of ' +
    'on or our should so such that the their them then there these they this to was we were what when where which who why ' +
    'will with would you your'
  ).split(' '),
);

/** The words of a query that are worth searching; all of them when it has no others. */
export function toSearchTerms(query: string, max = MAX_TERMS): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  const unique = [...new Set(words.map((word) => word.slice(0, MAX_TERM_LENGTH)))];
  const distinctive = unique.filter((word) => !STOP_WORDS.has(word));
  return (distinctive.length > 0 ? distinctive : unique).slice(0, max);
}

/** An FTS5 query that finds any, or all, of the terms. In quotes, no word is an operator. */
export function toMatchExpression(terms: readonly string[], operator: 'OR' | 'AND' = 'OR'): string {
  return terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(` ${operator} `);
}
