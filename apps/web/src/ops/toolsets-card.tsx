import type { FleetState, ListedSwitch, ListedToolset, ListedTurn } from '#contracts';
import { formatDuration, formatElapsed, formatNumber } from '../format/durations.js';
import { Card, Table } from './card.js';
import { oldestWaits } from './oldest-waits.js';
import { OpsIcon } from './ops-icon.js';
import type { QueueHistory } from './queue-history.js';
import { SwitchButton } from './switch-button.js';
import { findSwitch } from './switch-words.js';
import { isBehind } from './verdict.js';

const SPARK = { width: 84, height: 20 };

interface ToolsetsCardProps {
  fleet: FleetState;
  turns: ListedTurn[] | undefined;
  switches: ListedSwitch[];
  history: QueueHistory;
  nowMs: number;
  onChange: () => void;
}

export function ToolsetsCard({
  fleet: { toolsets },
  turns = [],
  switches,
  history,
  nowMs,
  onChange,
}: ToolsetsCardProps) {
  const oldest = oldestWaits(turns);
  return (
    <Card id="toolsets" title="Toolsets" note={formatNumber(toolsets.length)}>
      {toolsets.length === 0 ? (
        <p className="ops-none">No worker has announced a toolset yet.</p>
      ) : (
        <Table label="Toolsets">
          <Heads spanMs={history.spanMs} />
          <tbody>
            {toolsets.map((toolset) => (
              <Row
                key={toolset.name}
                toolset={toolset}
                pause={findSwitch(switches, 'toolset', toolset.name)}
                oldestMs={oldest.has(toolset.name) ? nowMs - oldest.get(toolset.name)! : undefined}
                history={history}
                onChange={onChange}
              />
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}

function Heads({ spanMs }: { spanMs: number }) {
  const heads: [name: string, className?: string, title?: string][] = [
    ['Name'],
    ['Workers', 'right'],
    [`Queue${spanText(spanMs)}`, '', 'As this page has seen it since it was opened, 30 min at most'],
    ['Now', 'right'],
    ['Oldest', 'right', 'The call of the listed turns that has waited longest'],
    ['Wait', 'right', 'How long the calls in the queue take at the present rate'],
    ['Calls/s', 'right'],
    ['Running', 'right'],
    ['Class'],
  ];
  return (
    <thead>
      <tr>
        {heads.map(([name, className, title], i) => (
          <th key={i} scope="col" className={className} title={title}>
            {name}
          </th>
        ))}
        <th scope="col" className="ops-actions">
          <span className="visually-hidden">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

/** `, 14 s`, `, 12 min`; nothing at first. */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds === 0) return '';
  return seconds < 60 ? `, ${seconds} s` : `, ${Math.round(seconds / 60)} min`;
}

interface RowProps {
  toolset: ListedToolset;
  /** Set while an operator has paused it. */
  pause: ListedSwitch | undefined;
  /** How long its oldest known call has waited. */
  oldestMs: number | undefined;
  history: QueueHistory;
  onChange: () => void;
}

function Row({ toolset, pause, oldestMs, history, onChange }: RowProps) {
  const { name, workers, calls } = toolset;
  const warn = isBehind(toolset) ? ' is-warning' : '';
  return (
    <tr>
      <th scope="row">
        <Name toolset={toolset} pause={pause} />
      </th>
      <td className={`right${workers === 0 ? ' is-bad' : ''}`}>{workers === 0 ? 'none' : workers}</td>
      <td>
        <Spark path={history.pathOf(name, SPARK.width, SPARK.height)} isWarning={warn !== ''} />
      </td>
      <td className={`right${warn}`}>{calls === undefined ? 'unknown' : formatNumber(calls)}</td>
      <td className={`right${oldestMs === undefined ? ' is-zero' : warn}`}>
        {oldestMs === undefined ? '–' : formatElapsed(oldestMs)}
      </td>
      {workers === 0 ? (
        <td colSpan={4} className="ops-words">
          <span className="is-bad">{missingWorkers(toolset)}</span> {calls !== 0 && 'Calls wait for one.'}
        </td>
      ) : (
        <Figures toolset={toolset} warn={warn} />
      )}
      <td className="right ops-actions">
        <SwitchButton
          place={{ kind: 'toolset', name }}
          row={pause}
          className="icon-button"
          onChange={onChange}
        >
          <OpsIcon name={pause ? 'resume' : 'pause'} />
        </SwitchButton>
      </td>
    </tr>
  );
}

function missingWorkers({ draining }: ListedToolset): string {
  return draining === 0
    ? 'No worker is running.'
    : `No worker takes calls: ${formatNumber(draining)} draining.`;
}

function Figures({ toolset, warn }: { toolset: ListedToolset; warn: string }) {
  const { calls, per_second, estimate_ms, running, slots, classes = [] } = toolset;
  const hasWait = calls !== 0 && estimate_ms !== undefined;
  return (
    <>
      <td className={`right${hasWait ? warn : ' is-zero'}`}>{hasWait ? formatDuration(estimate_ms) : '–'}</td>
      <td className="right">{per_second.toFixed(1)}</td>
      <td className="right">
        {formatNumber(running)} of {formatNumber(slots)}
      </td>
      <td>{classes.join(', ')}</td>
    </>
  );
}

function Name({
  toolset: { name, source, drift = [] },
  pause,
}: {
  toolset: ListedToolset;
  pause: ListedSwitch | undefined;
}) {
  return (
    <span className="ops-name">
      {name}
      {source && <span className="tag">{source === 'mcp' ? 'MCP' : 'local'}</span>}
      {pause && (
        <span className="tag tag-warn" title={`By ${pause.by} at ${pause.at}`}>
          paused
        </span>
      )}
      {drift.length > 0 && (
        <span className="tag tag-warn" title={`Its workers differ in ${drift.join(', ')}`}>
          differs<span className="visually-hidden"> between its workers in {drift.join(', ')}</span>
        </span>
      )}
    </span>
  );
}

/** Decoration: the length of now is next to it. */
function Spark({ path, isWarning }: { path: string | undefined; isWarning: boolean }) {
  const { width, height } = SPARK;
  return (
    <svg
      className={`ops-spark${isWarning ? ' is-warning' : ''}`}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      {path !== undefined && (
        <>
          <path className="ops-spark-area" d={`${path} L${width} ${height} L0 ${height}Z`} />
          <path d={path} />
        </>
      )}
    </svg>
  );
}
