import { useState, type ReactNode } from 'react';
import type { ListedSwitch } from '#contracts';
import { Popover } from '../frame/popover.js';
import { Problem, useAction } from './action.js';
import { operatorApi } from './operator-api.js';
import { SwitchForm } from './switch-form.js';
import { setLabel, undoLabel, type SwitchPlace } from './switch-words.js';

interface SwitchButtonProps {
  place: SwitchPlace;
  /** The row of the switch, while it is set. */
  row: ListedSwitch | undefined;
  className: string;
  /** Its label says what it does, so this may be an icon or one word. */
  children: ReactNode;
  onChange: () => void;
}

/** Asks before it sets a switch, and undoes it at once. One button for both, so that it keeps the focus. */
export function SwitchButton({ place, row, className, children, onChange }: SwitchButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const undo = useAction(() => operatorApi.unsetSwitch(place), onChange);
  const label = row ? undoLabel(place) : setLabel(place);
  return (
    <span className="menu">
      <button
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup={row ? undefined : 'dialog'}
        aria-expanded={row ? undefined : isOpen}
        onClick={row ? undo.run : () => setOpen(true)}
      >
        {children}
      </button>
      {isOpen && (
        <SwitchForm place={place} label={label} onChange={onChange} onClose={() => setOpen(false)} />
      )}
      {undo.problem !== undefined && (
        <Popover label={label} onClose={undo.forget}>
          <Problem words={undo.problem} />
          <span className="menu-actions">
            <button type="button" className="button" onClick={undo.forget}>
              Close
            </button>
          </span>
        </Popover>
      )}
    </span>
  );
}
