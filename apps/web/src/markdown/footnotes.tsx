import { Blocks } from './block.js';
import type { MarkdownContext } from './context.js';
import { goTo, markId, noteId } from './footnote-mark.js';

/** The notes of a message, at its end. */
export function Footnotes({ context }: { context: MarkdownContext }) {
  const { references, prefix } = context;
  if (references.footnotes.length === 0) return null;
  return (
    <section className="footnotes" aria-label="Notes">
      <ol>
        {references.footnotes.map(({ label, tokens }, index) => (
          <li key={label} id={noteId(prefix, index + 1)} tabIndex={-1} dir="auto">
            <Blocks tokens={tokens.filter(({ type }) => type !== 'space')} context={context} isNested />
            <button
              type="button"
              className="footnote-mark"
              aria-label={`Back to the text of note ${index + 1}`}
              onClick={() => goTo(markId(prefix, index + 1))}
            >
              ↩
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
