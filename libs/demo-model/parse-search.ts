export interface Search {
  where: 'documents' | 'web';
  query: string;
}

const DOCUMENTS = '(?:documents?|docs?|documentation|knowledge(?:\\s+base)?)';
const WEB = '(?:web|internet)';
const SEARCH = '\\b(?:search|look|check|query|browse|consult)\\b';
const ABOUT = '\\s*(?:for|about|on|regarding|:)?\\s+(.+)';

const BOTH = new RegExp(`${SEARCH}.*?\\b${DOCUMENTS}\\s+and\\s+the\\s+${WEB}\\b${ABOUT}`, 'is');
const PATTERNS: Record<Search['where'], RegExp[]> = {
  documents: [
    new RegExp(`${SEARCH}[^"“]*?\\b${DOCUMENTS}\\b${ABOUT}`, 'is'),
    new RegExp(
      `\\bwhat\\s+do(?:es)?\\s+(?:the|our|my|your)\\s+${DOCUMENTS}\\s+say\\s+(?:about|on)\\s+(.+)`,
      'is',
    ),
    new RegExp(
      `\\b(?:find|search\\s+for|look\\s+(?:for|up))\\s+(.+?)\\s+in\\s+(?:the|our|my|your)\\s+${DOCUMENTS}\\b`,
      'is',
    ),
  ],
  web: [
    new RegExp(`${SEARCH}[^"“]*?\\b${WEB}\\b${ABOUT}`, 'is'),
    new RegExp(
      `\\b(?:find|search\\s+for|look\\s+(?:for|up))\\s+(.+?)\\s+(?:on|in)\\s+the\\s+${WEB}\\b`,
      'is',
    ),
    /\b(?:google|web\s?search)\s+(?:for\s+)?(.+)/is,
  ],
};

export function parseSearches(text: string): Search[] {
  const both = BOTH.exec(text);
  if (both) {
    const query = tidy(both[1]!);
    return [
      { where: 'documents', query },
      { where: 'web', query },
    ];
  }
  for (const where of ['documents', 'web'] as const) {
    for (const pattern of PATTERNS[where]) {
      const query = tidy(pattern.exec(text)?.[1] ?? '');
      if (query !== '') return [{ where, query }];
    }
  }
  return [];
}

function tidy(query: string): string {
  return query
    .trim()
    .replace(/[\s.?!]+$|,?\s+please[\s.?!]*$/i, '')
    .replace(/^["'“«`](.*)["'”»`]$/s, '$1')
    .trim();
}
