import { useState } from 'react';
import { CopyButton } from '../frame/copy-button.js';
import { formatNumber } from '../format/durations.js';
import { JsonTree } from './json-tree.js';

const LINES_PER_PAGE = 200;

/** Arguments or a result: a tree if it is JSON with parts, else text. Never HTML, whatever it contains. */
export function Payload({ title, text }: { title: string; text: string }) {
  const value = parseParts(text);
  return (
    <section className="payload">
      <h4>
        <span className="grow">{title}</span>
        <CopyButton label={`Copy ${title.toLowerCase()}`} text={() => text} />
      </h4>
      <div className="payload-box">{value ? <JsonTree value={value} /> : <PagedText text={text} />}</div>
    </section>
  );
}

function parseParts(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function PagedText({ text }: { text: string }) {
  const [shownLines, setShownLines] = useState(LINES_PER_PAGE);
  if (text === '') return <p className="quiet">Empty.</p>;
  const lines = text.split('\n');
  const hidden = lines.length - shownLines;
  return (
    <>
      <pre className="payload-text" tabIndex={0}>
        {lines.slice(0, shownLines).join('\n')}
      </pre>
      {hidden > 0 && (
        <p className="payload-pager">
          <span className="grow">
            Lines 1–{formatNumber(shownLines)} of {formatNumber(lines.length)}
          </span>
          <button
            type="button"
            className="text-button"
            onClick={() => setShownLines(shownLines + LINES_PER_PAGE)}
          >
            Show {Math.min(LINES_PER_PAGE, hidden)} more
          </button>
        </p>
      )}
    </>
  );
}
