import { useEffect, useId, useState } from 'react';
import type { SetSwitch } from '#contracts';
import { listTools } from '../connection/http.js';
import { Popover } from '../frame/popover.js';
import { Problem, useAction } from './action.js';
import { MAX_REASON, operatorApi } from './operator-api.js';
import { consequenceOf, undoLabel, type SwitchPlace } from './switch-words.js';

interface SwitchFormProps {
  /** Without a name: the operator types it. */
  place: SwitchPlace;
  label: string;
  onChange: () => void;
  onClose: () => void;
}

/** What follows, the reason, and the last chance not to do it. */
export function SwitchForm({ place, label, onChange, onClose }: SwitchFormProps) {
  const { kind } = place;
  const [name, setName] = useState(place.name);
  const [reason, setReason] = useState('');
  const [unknown, setUnknown] = useState<SetSwitch>();
  const set = useAction(
    () => operatorApi.setSwitch({ kind, name: name.trim() }, reason.trim()),
    (answer) => {
      onChange();
      if (answer.is_known) onClose();
      else setUnknown(answer);
    },
  );
  if (unknown) return <Unknown place={unknown} label={label} onClose={onClose} />;
  return (
    <Popover label={label} onClose={onClose}>
      <form
        className="menu-form"
        onSubmit={(event) => {
          event.preventDefault();
          set.run();
        }}
      >
        <p className="menu-text">{consequenceOf(kind)}</p>
        {place.name === '' && <ToolName name={name} onChange={setName} />}
        <label>
          {kind === 'turns' ? 'Message to senders (optional)' : 'Reason (optional)'}
          <input
            className="field"
            maxLength={MAX_REASON}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <Problem words={set.problem} />
        <span className="menu-actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button-main">
            {place.name === '' ? 'Block' : label}
          </button>
        </span>
      </form>
    </Popover>
  );
}

/** Any name may be blocked; those on offer are suggested. */
function ToolName({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const [names, setNames] = useState<string[]>([]);
  const id = useId();
  useEffect(() => {
    let isShown = true;
    listTools().then(
      ({ tools }) => isShown && setNames(tools.map(({ qualified_name }) => qualified_name)),
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, []);
  return (
    <label>
      Tool
      <input
        className="field"
        list={id}
        placeholder="web.web_search"
        required
        value={name}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={id}>
        {names.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </label>
  );
}

function Unknown({ place, label, onClose }: { place: SwitchPlace; label: string; onClose: () => void }) {
  return (
    <Popover label={label} onClose={onClose}>
      <p className="menu-text" role="status">
        No living worker has {place.name}. If the name is wrong, choose “{undoLabel(place)}”.
      </p>
      <span className="menu-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </span>
    </Popover>
  );
}
