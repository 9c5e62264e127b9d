import { useEffect, useRef, useState } from 'react';
import { areLetterKeysOn, setLetterKeys } from '../keys/thread-keys.js';
import { IconButton } from './icon-button.js';

const everywhere: [string, string[]][] = [
  ['Send', ['Enter']],
  ['New line', ['Shift', 'Enter']],
  ['Stop, close', ['Esc']],
  ['Search', ['Ctrl', 'K']],
  ['New conversation', ['Alt', 'N']],
  ['Tools', ['Alt', 'T']],
  ['Edit the last message', ['↑']],
];
const inThread: [string, string[]][] = [
  ['Next call', ['J']],
  ['Previous call', ['K']],
  ['Open it', ['Enter']],
  ['What waits for you', ['G']],
  ['Write', ['/']],
  ['This list', ['?']],
];

export default function ShortcutsSheet({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [hasLetters, setHasLetters] = useState(areLetterKeysOn);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="keys-title" onClose={onClose}>
      <header>
        <h2 id="keys-title" className="grow title">
          Keyboard shortcuts
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div className="sheet-columns">
        <Keys title="Everywhere" keys={everywhere} />
        <Keys title="In the conversation" keys={inThread} />
      </div>
      <label className="sheet-choice">
        <input
          type="checkbox"
          checked={hasLetters}
          onChange={(event) => {
            setLetterKeys(event.target.checked);
            setHasLetters(event.target.checked);
          }}
        />
        Single letters are shortcuts while the conversation has the focus
      </label>
    </dialog>
  );
}

function Keys({ title, keys }: { title: string; keys: [string, string[]][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(([what, press]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {press.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
