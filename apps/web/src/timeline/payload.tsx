import { useMemo, useState } from 'react';
import { CopyButton } from '../frame/copy-button.js';
import { cutPages } from './cut-pages.js';
import { isTreeText } from './is-tree-text.js';
import { JsonTree } from './json-tree.js';

interface PayloadProps {
  title: string;
  text: string;
  /** For copying, where `text` is only what is shown. */
  whole?: () => Promise<string>;
}

/** Arguments or a result: a tree if it is JSON with parts, else text. Never HTML, whatever it contains. */
export function Payload({ title, text, whole }: PayloadProps) {
  const value = parseParts(text);
  return (
    <section className="payload">
      <h4>
        <span className="grow">{title}</span>
        <CopyButton label={`Copy ${title.toLowerCase()}`} text={whole ?? (() => text)} />
      </h4>
      <div className="payload-box">{value ? <JsonTree value={value} /> : <PagedText text={text} />}</div>
    </section>
  );
}

function parseParts(text: string): object | undefined {
  if (!isTreeText(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function PagedText({ text }: { text: string }) {
  const [pages, setPages] = useState(1);
  const { shown, extent, more } = useMemo(() => cutPages(text, pages), [text, pages]);
  if (text === '') return <p className="quiet">Empty.</p>;
  return (
    <>
      <pre className="payload-text" tabIndex={0}>
        {shown}
      </pre>
      {extent && (
        <p className="payload-pager">
          <span className="grow">{extent}</span>
          <button type="button" className="text-button" onClick={() => setPages(pages + 1)}>
            {more}
          </button>
        </p>
      )}
    </>
  );
}
