import type { MarkdownContext } from './context.js';

interface ReferenceProps {
  label: string;
  raw: string;
  context: MarkdownContext;
}

/** Leads to its note in the same message. Without a note it is text. */
export function FootnoteReference({ label, raw, context: { references, prefix } }: ReferenceProps) {
  const index = references.footnotes.findIndex((note) => note.label === label);
  if (index === -1) return raw;
  const number = index + 1;
  return (
    <sup>
      <button
        type="button"
        className="footnote-mark"
        id={markId(prefix, number)}
        aria-label={`Note ${number}`}
        onClick={() => goTo(noteId(prefix, number))}
      >
        {number}
      </button>
    </sup>
  );
}

export const noteId = (prefix: string, number: number) => `${prefix}note-${number}`;
export const markId = (prefix: string, number: number) => `${prefix}mark-${number}`;

/** Not by an address: that is the conversation's. */
export function goTo(id: string): void {
  const target = document.getElementById(id);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
}
