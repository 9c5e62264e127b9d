import type { ListedSwitch } from '#contracts';
import { formatElapsed, formatNumber } from '../format/durations.js';
import { Card, Table } from './card.js';
import { SwitchButton } from './switch-button.js';
import { findSwitch, switchState, undoLabel } from './switch-words.js';

const ID = 'switches';

interface SwitchesCardProps {
  switches: ListedSwitch[];
  nowMs: number;
  onChange: () => void;
}

/** What operators have switched, by whom, since when and why; and what has no row in another table. */
export function SwitchesCard({ switches, nowMs, onChange }: SwitchesCardProps) {
  const refusal = findSwitch(switches, 'turns', 'all');
  // The row goes, and the focus must not go with it.
  const onUndo = () => {
    document.getElementById(ID)?.focus();
    onChange();
  };
  const actions = (
    <>
      <SwitchButton place={{ kind: 'tool', name: '' }} row={undefined} className="button" onChange={onChange}>
        Block a tool
      </SwitchButton>
      <SwitchButton
        place={{ kind: 'turns', name: 'all' }}
        row={refusal}
        className="button"
        onChange={onChange}
      >
        {refusal ? 'Take turns again' : 'Refuse new turns'}
      </SwitchButton>
    </>
  );
  return (
    <Card id={ID} title="Switches" note={formatNumber(switches.length)} actions={actions}>
      {switches.length === 0 ? (
        <p className="ops-none">Nothing is paused, blocked, drained or refused.</p>
      ) : (
        <Table label="Switches">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">For</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          {switches.map((row) => (
            <tbody key={`${row.kind} ${row.name}`}>
              <Row row={row} nowMs={nowMs} onUndo={onUndo} />
              <Why row={row} />
            </tbody>
          ))}
        </Table>
      )}
    </Card>
  );
}

function Row({ row, nowMs, onUndo }: { row: ListedSwitch; nowMs: number; onUndo: () => void }) {
  const { name, at } = row;
  return (
    <tr>
      <th scope="row" title={name}>
        {headOf(row)}
      </th>
      <td title={at}>{formatElapsed(Math.max(0, nowMs - Date.parse(at)))}</td>
      <td className="right ops-actions">
        <SwitchButton place={row} row={row} className="button button-ghost" onChange={onUndo}>
          {row.kind === 'turns' ? undoLabel(row) : undoLabel(row).split(' ')[0]}
        </SwitchButton>
      </td>
    </tr>
  );
}

/** Below the switch: it may be too long for a column. */
function Why({ row: { by, level, reason } }: { row: ListedSwitch }) {
  const why = level === undefined ? reason : `level ${level}`;
  return (
    <tr className="ops-switch-reason">
      <td colSpan={3}>{why === undefined ? `By ${by}` : `By ${by}: ${why}`}</td>
    </tr>
  );
}

/** Names stay as they are; sentences begin with a capital letter. */
function headOf(row: ListedSwitch): string {
  const state = switchState(row);
  return row.name === 'all' ? state.charAt(0).toUpperCase() + state.slice(1) : state;
}
