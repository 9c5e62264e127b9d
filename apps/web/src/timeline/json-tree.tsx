import { useState } from 'react';
import { toVisibleJson, toVisibleText } from '#turn';
import { FoldButton } from '../frame/fold-button.js';
import { countOf } from '../format/durations.js';

const ITEMS_SHOWN = 20;

/** A JSON value as text that folds. Children are rendered only when opened, so depth costs nothing. */
export function JsonTree({ value }: { value: object }) {
  return (
    <ul className="json-tree">
      <Entries value={value} />
    </ul>
  );
}

function Entries({ value }: { value: object }) {
  const [isWhole, setWhole] = useState(false);
  const entries = Object.entries(value);
  const shown = isWhole ? entries : entries.slice(0, ITEMS_SHOWN);
  return (
    <>
      {shown.map(([key, item]) => (
        <Entry key={key} name={Array.isArray(value) ? undefined : key} value={item as unknown} />
      ))}
      {entries.length === 0 && (
        <li className="json-count">{Array.isArray(value) ? '[no items]' : '{no keys}'}</li>
      )}
      {shown.length < entries.length && (
        <li>
          <button type="button" className="text-button" onClick={() => setWhole(true)}>
            {countOf(entries.length - shown.length, 'more', 'more')}
          </button>
        </li>
      )}
    </>
  );
}

function Entry({ name, value }: { name: string | undefined; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const label = name === undefined ? null : <span className="json-key">{toVisibleText(name)}: </span>;
  if (typeof value !== 'object' || value === null) {
    return (
      <li>
        {label}
        <span className="json-value">{toVisibleJson(value)}</span>
      </li>
    );
  }
  const size = Array.isArray(value)
    ? `[${countOf(value.length, 'item')}]`
    : `{${countOf(Object.keys(value).length, 'key')}}`;
  return (
    <li>
      <FoldButton className="json-fold" isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        {label}
        <span className="json-count">{size}</span>
      </FoldButton>
      {isOpen && (
        <ul>
          <Entries value={value} />
        </ul>
      )}
    </li>
  );
}
