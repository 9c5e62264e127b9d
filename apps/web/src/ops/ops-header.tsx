import { useState } from 'react';
import { formatClock } from '../format/durations.js';
import { Icon } from '../frame/icon.js';
import { ThemeButton } from '../frame/theme-button.js';
import { turnHash } from './chosen-turn.js';
import { OpsIcon } from './ops-icon.js';

interface OpsHeaderProps {
  /** When what is shown was read. */
  at: string | undefined;
  /** Why nothing newer could be read. */
  problem: string | undefined;
}

export function OpsHeader({ at, problem }: OpsHeaderProps) {
  return (
    <>
      <header className="bar ops-bar">
        <h1 className="title">Operations</h1>
        <span className="quiet cut ops-host">{location.host}</span>
        <span className="grow" />
        {at !== undefined && problem === undefined && (
          <span className="quiet ops-live">Live · {formatClock(at)}</span>
        )}
        <FindTurn />
        <ThemeButton />
        <a className="icon-button ops-back" href="/" aria-label="Back to chat" title="Back to chat">
          <OpsIcon name="out" />
        </a>
      </header>
      {problem !== undefined && (
        <p className="page-problem">
          {problem} {at !== undefined && `Shown as of ${formatClock(at)}. `}The page tries again.
        </p>
      )}
    </>
  );
}

function FindTurn() {
  const [id, setId] = useState('');
  return (
    <form
      className="search-box ops-find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') location.hash = turnHash(id.trim());
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        placeholder="Turn id"
        aria-label="Look up a turn by its id"
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
    </form>
  );
}
