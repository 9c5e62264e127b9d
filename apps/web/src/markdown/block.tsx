import { createElement, memo, type ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { CodeBlock } from './code-block.js';
import { isSameContext, type MarkdownContext } from './context.js';
import { Inline } from './inline.js';
import { List } from './list.js';
import { Table } from './table.js';

interface BlocksProps {
  tokens: readonly Token[];
  context: MarkdownContext;
  /**
   * In a list or a quotation, whose direction is that of the text in it that has none of its own; a heading there is no
   * part of the outline.
   */
  isNested?: boolean;
  /** Paragraphs of a tight list have no space around them. */
  isTight?: boolean;
}

/** Blocks in their order. A block never changes its place, so its index is its identity. */
export function Blocks({ tokens, context, isNested = false, isTight = false }: BlocksProps) {
  const levels = isNested ? [] : headingLevels(tokens);
  return tokens.map((token, index) => (
    <Block
      key={index}
      token={token}
      context={context}
      level={levels[index]}
      isNested={isNested}
      isTight={isTight}
    />
  ));
}

interface BlockProps {
  token: Token;
  context: MarkdownContext;
  level: number | undefined;
  isNested: boolean;
  isTight: boolean;
}

const Block = memo(
  function Block({ token, context, level, isNested, isTight }: BlockProps): ReactNode {
    const direction = isNested ? undefined : 'auto';
    switch (token.type) {
      case 'paragraph':
        return (
          <Paragraph
            text={paragraphText(token as Tokens.Paragraph)}
            direction={direction}
            context={context}
          />
        );
      case 'text': {
        const { text } = token as Tokens.Text;
        if (!isTight) return <Paragraph text={text} direction={direction} context={context} />;
        return <Inline text={text} context={context} />;
      }
      case 'heading':
        return <Heading token={token as Tokens.Heading} level={level} context={context} />;
      case 'code':
        return <CodeBlock {...codeOf(token as Tokens.Code)} />;
      case 'blockquote':
        return (
          <blockquote dir={direction}>
            <Blocks tokens={(token as Tokens.Blockquote).tokens} context={context} isNested />
          </blockquote>
        );
      case 'list':
        return (
          <List
            token={token as Tokens.List}
            direction={direction}
            context={context}
            render={(tokens, { isTight: tight }) => (
              <Blocks tokens={tokens} context={context} isNested isTight={tight} />
            )}
          />
        );
      case 'table':
        return <Table token={token as Tokens.Table} direction={direction} context={context} />;
      case 'hr':
        return <hr />;
      case 'html':
        return <p dir={direction}>{token.raw.trim()}</p>;
      default:
        return null;
    }
  },
  (before, now) =>
    before.token.raw === now.token.raw &&
    before.token.type === now.token.type &&
    before.level === now.level &&
    before.isNested === now.isNested &&
    before.isTight === now.isTight &&
    isSameContext(before.context, now.context),
);

interface ParagraphProps {
  text: string;
  direction: 'auto' | undefined;
  context: MarkdownContext;
}

function Paragraph({ text, direction, context }: ParagraphProps) {
  return (
    <p dir={direction}>
      <Inline text={text} context={context} />
    </p>
  );
}

function Heading({
  token: { depth, text },
  level,
  context,
}: {
  token: Tokens.Heading;
  level: number | undefined;
  context: MarkdownContext;
}) {
  const content = <Inline text={text} context={context} />;
  const shown = { 'data-depth': depth, dir: 'auto' };
  if (level === undefined) return <p {...shown}>{content}</p>;
  return createElement(`h${level}`, shown, content);
}

function codeOf({ text, lang = '' }: Tokens.Code) {
  return { text, language: /^\S*/.exec(lang)?.[0] ?? '' };
}

/** A task that is a paragraph has its box before its text. */
function paragraphText({ text, tokens: [first] }: Tokens.Paragraph): string {
  return first?.type === 'checkbox' ? text.slice(first.raw.length) : text;
}

/** Below the heading of the message, and without a gap: what a reader of headings hears is an outline. */
function headingLevels(tokens: readonly Token[]): (number | undefined)[] {
  let last = 2;
  return tokens.map((token) => {
    if (token.type !== 'heading') return undefined;
    last = Math.min((token as Tokens.Heading).depth + 2, last + 1, 6);
    return last;
  });
}
