import { Lexer, Marked, type Links, type Token, type Tokens, type TokensList } from 'marked';

/** `[^label]: text`: the text that a reference leads to. */
export interface FootnoteToken extends Tokens.Generic {
  type: 'footnote';
  label: string;
  tokens: Token[];
}

/** `[^label]` in a text. */
export interface FootnoteReferenceToken extends Tokens.Generic {
  type: 'footnote_reference';
  label: string;
}

const footnoteStart = /(?:^|\n) {0,3}\[\^[^\]\s]+\]:/;
const footnote = /^ {0,3}\[\^([^\]\s]+)\]:[ \t]*([^\n]*(?:\n+(?: {2,}|\t)[^\n]+)*)(?:\n|$)/;
const footnoteReference = /^\[\^([^\]\s]+)\]/;

/** GitHub's Markdown, with footnotes (https://github.github.com/gfm/). */
const { defaults: options } = new Marked({
  gfm: true,
  extensions: [
    {
      name: 'footnote',
      level: 'block',
      start: (text) => footnoteStart.exec(text)?.index,
      tokenizer(text): FootnoteToken | undefined {
        const [raw, label, content = ''] = footnote.exec(text) ?? [];
        if (raw === undefined || label === undefined) return undefined;
        const tokens = this.lexer.blockTokens(content.replace(/^(?: {1,4}|\t)/gm, ''), []);
        return { type: 'footnote', raw, label, tokens };
      },
    },
    {
      name: 'footnote_reference',
      level: 'inline',
      start: (text) => text.indexOf('[^'),
      tokenizer(text): FootnoteReferenceToken | undefined {
        const [raw, label] = footnoteReference.exec(text) ?? [];
        return raw === undefined || label === undefined
          ? undefined
          : { type: 'footnote_reference', raw, label };
      },
    },
  ],
});

/** The blocks of a text. What stands in their lines is not read: see `lexInline`. */
export function lexBlocks(text: string): TokensList {
  const lexer = new Lexer(options);
  lexer.blockTokens(text, lexer.tokens);
  return lexer.tokens;
}

/** What stands in the lines of one block. */
export function lexInline(text: string, links: Links): Token[] {
  const lexer = new Lexer(options);
  lexer.tokens.links = links;
  return lexer.inlineTokens(text);
}
