import type { Links, Token, Tokens } from 'marked';
import { lexBlocks, type FootnoteToken } from './lexer.js';

/** What texts anywhere in a message refer to. The same object while nothing in it has changed. */
export interface References {
  links: Links;
  /** In the order of their numbers. */
  footnotes: FootnoteToken[];
}

export interface ParsedMarkdown {
  /** In order; without blank lines. */
  blocks: Token[];
  references: References;
}

interface Placed {
  token: Token;
  start: number;
}

/**
 * The blocks of a message that grows. What grows is read again from the start of its last two blocks: the blocks before
 * stay the same objects, however long the message is.
 */
export class GrowingMarkdown {
  private text = '';
  private placed: Placed[] = [];
  private parsed: ParsedMarkdown = { blocks: [], references: { links: {}, footnotes: [] } };

  /** The same object for the same text. */
  parse(markdown: string): ParsedMarkdown {
    const text = markdown.replace(/\r\n?/g, '\n');
    if (text === this.text) return this.parsed;
    const kept = text.startsWith(this.text) ? this.finished() : [];
    const from = kept.length === 0 ? 0 : this.placed[kept.length]!.start;
    this.placed = [...kept, ...place(lexBlocks(text.slice(from)), from)];
    this.text = text;
    const blocks = this.placed.map(({ token }) => token);
    const references = referencesOf(blocks);
    const isSame = isSameReferences(references, this.parsed.references);
    this.parsed = { blocks, references: isSame ? this.parsed.references : references };
    return this.parsed;
  }

  /** What follows can change the last block, and that one can then belong to the block before: `2` becomes `2. two`. */
  private finished(): Placed[] {
    return this.placed.slice(0, -2);
  }
}

function place(tokens: Token[], from: number): Placed[] {
  let start = from;
  const placed: Placed[] = [];
  for (const token of tokens) {
    if (token.type !== 'space') placed.push({ token, start });
    start += token.raw.length;
  }
  return placed;
}

function referencesOf(blocks: Token[]): References {
  const links: Links = {};
  const footnotes = new Map<string, FootnoteToken>();
  for (const token of blocks) {
    if (token.type === 'def') {
      const { tag, href, title } = token as Tokens.Def;
      links[tag] ??= { href, title };
    }
    if (token.type === 'footnote' && !footnotes.has(token.label as string))
      footnotes.set(token.label as string, token as FootnoteToken);
  }
  return { links, footnotes: [...footnotes.values()] };
}

function isSameReferences(a: References, b: References): boolean {
  const textOf = ({ links, footnotes }: References) =>
    JSON.stringify([links, footnotes.map(({ raw }) => raw)]);
  return textOf(a) === textOf(b);
}
