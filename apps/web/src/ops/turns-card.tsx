import { useState } from 'react';
import type { ListedTurn } from '#contracts';
import { formatElapsed } from '../format/durations.js';
import { atLeast } from './at-least.js';
import { Card, Table } from './card.js';
import { turnHash } from './chosen-turn.js';
import { MAX_TURNS } from './operator-api.js';
import { isStuck, waitWords } from './wait-words.js';

const FIRST = 10;

interface TurnsCardProps {
  turns: ListedTurn[] | undefined;
  chosenId: string | undefined;
  nowMs: number;
}

/** Turns that are not over, those first that have waited longest. */
export function TurnsCard({ turns, chosenId, nowMs }: TurnsCardProps) {
  const [areAllShown, setAllShown] = useState(false);
  const sorted = [...(turns ?? [])].sort((a, b) => sinceOf(a).localeCompare(sinceOf(b)));
  const shown = areAllShown ? sorted : sorted.slice(0, FIRST);
  return (
    <Card id="turns" title="Turns running and stuck" note={turns && atLeast(turns.length, MAX_TURNS)}>
      {turns?.length === 0 && <p className="ops-none">No turn runs or waits.</p>}
      {shown.length > 0 && (
        <Table label="Turns running and stuck">
          <thead>
            <tr>
              <th scope="col">Turn</th>
              <th scope="col">User</th>
              <th scope="col">Waits for</th>
              <th scope="col">Tool</th>
              <th scope="col" className="right">
                Since
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((turn) => (
              <Row key={turn.turn_id} turn={turn} isChosen={turn.turn_id === chosenId} nowMs={nowMs} />
            ))}
          </tbody>
        </Table>
      )}
      {sorted.length > FIRST && (
        <footer>
          <button type="button" className="button button-ghost" onClick={() => setAllShown(!areAllShown)}>
            {areAllShown ? 'Show fewer' : `Show all ${sorted.length}`}
          </button>
        </footer>
      )}
    </Card>
  );
}

function Row({ turn, isChosen, nowMs }: { turn: ListedTurn; isChosen: boolean; nowMs: number }) {
  const { turn_id, user_id, waiting } = turn;
  if (!waiting) return null;
  const warn = isStuck(waiting, nowMs) ? ' is-warning' : '';
  return (
    <tr aria-current={isChosen || undefined}>
      <th scope="row" className="ops-cut">
        <a href={turnHash(turn_id)} title={`Why does ${turn_id} wait?`}>
          <code>{turn_id}</code>
        </a>
      </th>
      <td className="ops-cut">{user_id}</td>
      <td className={warn.trim()}>{waitWords(waiting)}</td>
      <td>{waiting.tool_name ? <code>{waiting.tool_name}</code> : '–'}</td>
      <td className={`right${warn}`}>{formatElapsed(nowMs - Date.parse(waiting.since))}</td>
    </tr>
  );
}

function sinceOf({ waiting, at }: ListedTurn): string {
  return waiting?.since ?? at;
}
