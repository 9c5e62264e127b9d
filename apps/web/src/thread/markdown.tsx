import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { splitBlocks } from '../format/blocks.js';
import { CodeBlock } from './code-block.js';
import { GrowingText } from './growing-text.js';

/** A longer block is not parsed while it grows, because each token would cost as much as the whole block. */
const LONGEST_PARSED_WHILE_GROWING = 6_000;

const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeSanitize];

/** The parts of a syntax tree that are read here. */
interface TreeNode {
  value?: string;
  tagName?: string;
  properties?: { className?: unknown };
  children?: TreeNode[];
}

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ),
  // Pictures from other hosts would tell those hosts who reads here, so they become links.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noopener noreferrer">
      {alt || 'Picture'}
    </a>
  ),
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ node, children }) => (
    <CodeBlock language={languageOf(node)} text={() => textOf(node)}>
      {children}
    </CodeBlock>
  ),
};

/** Markdown without raw HTML. While it streams, finished blocks are not rendered again. */
export function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const blocks = splitBlocks(text);
  // A finished block never changes its place, so its index is its identity.
  return blocks.map((block, index) => {
    const isLast = index === blocks.length - 1;
    const isTooLong = isGrowing && isLast && block.length > LONGEST_PARSED_WHILE_GROWING;
    return isTooLong ? <GrowingText key={index} text={block} /> : <Block key={index} text={block} />;
  });
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      skipHtml
    >
      {text}
    </ReactMarkdown>
  );
});

function languageOf(pre: TreeNode | undefined): string {
  const classes = pre?.children?.[0]?.properties?.className;
  const name = Array.isArray(classes)
    ? classes.map(String).find((one) => one.startsWith('language-'))
    : undefined;
  return name?.slice('language-'.length) ?? '';
}

function textOf(node: TreeNode | undefined): string {
  return node?.value ?? (node?.children ?? []).map(textOf).join('');
}
