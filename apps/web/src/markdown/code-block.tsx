import { memo } from 'react';
import { CopyButton } from '../frame/copy-button.js';

const PIECE_LENGTH = 2_000;

export function CodeBlock({ language, text }: { language: string; text: string }) {
  return (
    <figure className="code-block">
      <figcaption>
        <span className="grow">{language || 'text'}</span>
        <CopyButton label="Copy code" text={() => text} />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          {/* A line that is still empty would hold nothing but the cursor of an answer that grows. */}
          <Pieces text={text.trimEnd()} />
        </code>
      </pre>
    </figure>
  );
}

/** While code grows only its last piece changes, so the browser keeps the glyphs of all others. */
function Pieces({ text }: { text: string }) {
  const count = Math.ceil(text.length / PIECE_LENGTH);
  return Array.from({ length: count }, (_, index) => (
    <Piece key={index} text={text.slice(index * PIECE_LENGTH, (index + 1) * PIECE_LENGTH)} />
  ));
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span>{text}</span>;
});
