import type { References } from './growing-markdown.js';

/** What the parts of a message need to know of the whole. */
export interface MarkdownContext {
  references: References;
  /** Of the ids in this message. */
  prefix: string;
}

export function isSameContext(a: MarkdownContext, b: MarkdownContext): boolean {
  return a.references === b.references && a.prefix === b.prefix;
}
