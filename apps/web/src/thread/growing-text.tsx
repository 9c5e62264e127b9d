import { memo } from 'react';
import { CodeBlock } from './code-block.js';

const PIECE_LENGTH = 2_000;
const openingFence = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([^\s`]*)[^\n]*\n?/;

/**
 * A block that is too long to be parsed again with every token. It is plain text until it is complete; code already
 * looks like code.
 */
export function GrowingText({ text }: { text: string }) {
  const fence = openingFence.exec(text);
  if (!fence) {
    return (
      <p className="growing-text">
        <Pieces text={text} />
      </p>
    );
  }
  const code = text.slice(fence[0].length);
  return (
    <CodeBlock language={fence[1] ?? ''} text={() => code}>
      <code>
        <Pieces text={code} />
      </code>
    </CodeBlock>
  );
}

/** Only the last piece ever changes, so the browser keeps the glyphs of all others. */
function Pieces({ text }: { text: string }) {
  const count = Math.ceil(text.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) => (
    <Piece key={index} text={text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH)} />
  ));
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span>{text}</span>;
});
