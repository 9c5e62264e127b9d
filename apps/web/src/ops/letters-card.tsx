import type { LetterReason, ListedLetter } from '#contracts';
import { formatElapsed } from '../format/durations.js';
import { atLeast } from './at-least.js';
import { Card, Table } from './card.js';
import { turnHash } from './chosen-turn.js';
import { Look, Replay } from './letter-actions.js';
import { MAX_LETTERS } from './operator-api.js';

const WORDS: Record<LetterReason, string> = {
  delivery_limit: 'Delivered again and again',
  maxlen: 'Its queue was full',
  expired: 'Too old',
  'rejected: not JSON': 'Not JSON',
  'rejected: too large': 'Larger than allowed',
  'rejected: too deep': 'Deeper than allowed',
  'rejected: version': 'Of another version',
  'rejected: wrong queue': 'In the wrong queue',
  'rejected: unknown tool': 'Its worker does not have the tool',
  'rejected: handler failed': 'Its handler failed',
  rejected: 'Rejected',
  other: 'For another reason',
};

interface LettersCardProps {
  letters: ListedLetter[];
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

function Row({ letter, nowMs, onChange }: { letter: ListedLetter; nowMs: number; onChange: () => void }) {
  const { queue, reason, turn_id, at, replayed_at } = letter;
  return (
    <tr>
      <th scope="row">{queue}</th>
      <td>
        {WORDS[reason]}
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
