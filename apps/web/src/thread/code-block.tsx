import type { ReactNode } from 'react';
import { CopyButton } from '../frame/copy-button.js';

interface CodeBlockProps {
  language: string;
  /** The text to copy. */
  text: () => string;
  /** A `code` element. */
  children: ReactNode;
}

export function CodeBlock({ language, text, children }: CodeBlockProps) {
  return (
    <figure className="code-block">
      <figcaption>
        <span className="grow">{language || 'text'}</span>
        <CopyButton label="Copy code" text={text} />
      </figcaption>
      <pre tabIndex={0}>{children}</pre>
    </figure>
  );
}
