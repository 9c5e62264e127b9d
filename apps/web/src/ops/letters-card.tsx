import { formatElapsed } from '../format/durations.js';
import { atLeast } from './at-least.js';
import { Card, Table } from './card.js';
import { turnHash } from './chosen-turn.js';
import { Look, Replay } from './letter-actions.js';
import { reasonWords } from './letter-reason.js';
import { MAX_LETTERS, type LetterSummary } from './operator-api.js';

interface LettersCardProps {
  letters: LetterSummary[];
  nowMs: number;
  onChange: () => void;
}

export function LettersCard({ letters, nowMs, onChange }: LettersCardProps) {
  return (
    <Card id="dead-letters" title="Dead letters" note={atLeast(letters.length, MAX_LETTERS)}>
      {letters.length === 0 && <p className="ops-none">Every message was delivered.</p>}
      {letters.length > 0 && (
        <Table label="Dead letters">
          <thead>
            <tr>
              <th scope="col">From queue</th>
              <th scope="col">Reason</th>
              <th scope="col">Turn</th>
              <th scope="col" className="right">
                Age
              </th>
              <th scope="col" className="right">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {letters.map((letter) => (
              <Row key={letter._id} letter={letter} nowMs={nowMs} onChange={onChange} />
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}

function Row({ letter, nowMs, onChange }: { letter: LetterSummary; nowMs: number; onChange: () => void }) {
  const { queue, reason, turn_id, at, replayed_at } = letter;
  return (
    <tr>
      <th scope="row">{queue}</th>
      <td>
        {reasonWords(reason)}
        {replayed_at !== undefined && <span className="tag ops-tag">replayed</span>}
      </td>
      <td className="ops-cut">
        {turn_id === undefined ? (
          'unknown'
        ) : (
          <a href={turnHash(turn_id)}>
            <code>{turn_id}</code>
          </a>
        )}
      </td>
      <td className="right">{formatElapsed(nowMs - Date.parse(at))}</td>
      <td className="right ops-actions">
        <Look letter={letter} onDiscard={onChange} />
        <Replay letter={letter} onDone={onChange} />
      </td>
    </tr>
  );
}
