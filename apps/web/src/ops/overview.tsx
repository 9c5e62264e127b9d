import { Fragment } from 'react';
import type { FleetState, ListedLetter, ListedSwitch } from '#contracts';
import { formatNumber } from '../format/durations.js';
import { atLeast } from './at-least.js';
import { MAX_LETTERS } from './operator-api.js';
import { switchedSentence } from './switch-words.js';
import { verdictOf } from './verdict.js';

interface OverviewProps {
  fleet: FleetState;
  letters: ListedLetter[];
  switches: ListedSwitch[];
}

/** The one sentence that says whether an operator is needed, and the figures of the whole fleet. */
export function Overview({ fleet, letters, switches }: OverviewProps) {
  const { title, needs } = verdictOf(fleet, letters, switches);
  const switched = switchedSentence(switches);
  const loads = fleet.processes.flatMap(({ is_alive, load }) => (is_alive ? [load] : []));
  const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one = 0) => total + one, 0);
  const perSecond = sum(fleet.toolsets.map(({ per_second }) => per_second));
  return (
    <section id="overview" className="ops-card ops-strip" aria-label="Overview" tabIndex={-1}>
      <div className="ops-verdict" role="status">
        <h2>{title}</h2>
        <p>
          {needs.map(({ subject, text }, i) => (
            <Fragment key={`${subject} ${text}`}>
              {i > 0 && '; '}
              <b>{i === 0 ? upperFirst(subject) : subject}</b> {text}
            </Fragment>
          ))}
          {needs.length > 0
            ? '. The rest is healthy.'
            : 'Every process beats, every toolset has a worker, and no queue falls behind.'}
        </p>
        {switched !== undefined && <p>{switched}</p>}
      </div>
      <Figure name="Turns running" value={formatNumber(sum(loads.map(({ turns }) => turns)))} />
      <Figure
        name="Calls running"
        value={formatNumber(sum(fleet.toolsets.map(({ running }) => running)))}
        of={formatNumber(sum(fleet.toolsets.map(({ slots }) => slots)))}
      />
      <Figure name="Calls a second" value={perSecond.toFixed(1)} />
      <Figure name="Sockets" value={formatNumber(sum(loads.map(({ sockets }) => sockets)))} />
      <Figure name="Dead letters" value={atLeast(letters.length, MAX_LETTERS)} />
    </section>
  );
}

/** Names of toolsets stay as they are. */
function upperFirst(subject: string): string {
  return subject.includes(' ') || subject === 'orchestrators'
    ? subject.charAt(0).toUpperCase() + subject.slice(1)
    : subject;
}

function Figure({ name, value, of }: { name: string; value: string; of?: string }) {
  return (
    <div className="ops-figure">
      <span>{name}</span>
      <b>
        {value}
        {of !== undefined && <small> of {of}</small>}
      </b>
    </div>
  );
}
