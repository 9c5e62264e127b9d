import type { ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { decodeString } from 'micromark-util-decode-string';
import type { MarkdownContext } from './context.js';
import { FootnoteReference } from './footnote-mark.js';
import { lexInline } from './lexer.js';

/** What stands in the lines of one block. */
export function Inline({ text, context }: { text: string; context: MarkdownContext }) {
  return renderAll(lexInline(text, context.references.links), context);
}

function renderAll(tokens: readonly Token[], context: MarkdownContext): ReactNode {
  return tokens.map((token, index) => <Part key={index} token={token} context={context} />);
}

function Part({ token, context }: { token: Token; context: MarkdownContext }): ReactNode {
  const inner = () => renderAll((token as Tokens.Strong).tokens, context);
  switch (token.type) {
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inner()}</Link>;
    // Pictures from other hosts would tell those hosts who reads here, so they become links.
    case 'image': {
      const { href, text } = token as Tokens.Image;
      return <Link href={href}>{decodeString(text) || 'Picture'}</Link>;
    }
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? <br /> : token.raw;
    case 'footnote_reference':
      return <FootnoteReference label={token.label as string} raw={token.raw} context={context} />;
    default:
      return decodeString(token.raw);
  }
}

/** Other links than to the web and to mailboxes stay text. */
function Link({ href, children }: { href: string; children: ReactNode }) {
  const address = decodeString(href);
  if (!/^(https?:\/\/|mailto:)/i.test(address)) return <span>{children}</span>;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
