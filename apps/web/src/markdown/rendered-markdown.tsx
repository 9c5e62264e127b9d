import { useId, useState } from 'react';
import { Blocks } from './block.js';
import { Footnotes } from './footnotes.js';
import { GrowingMarkdown } from './growing-markdown.js';

/**
 * Markdown without raw HTML: tags stay text. While it grows, only what changes is read and rendered again, so a long
 * text, table or list looks at each moment as it will look in the end.
 */
export default function RenderedMarkdown({ text }: { text: string }) {
  const [markdown] = useState(() => new GrowingMarkdown());
  const prefix = useId();
  const { blocks, references } = markdown.parse(text);
  return (
    <>
      <Blocks tokens={blocks} context={{ references, prefix }} />
      <Footnotes context={{ references, prefix }} />
    </>
  );
}
