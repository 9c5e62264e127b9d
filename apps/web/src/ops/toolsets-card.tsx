import type { FleetState, ListedToolset, ListedTurn } from '#contracts';
import { formatDuration, formatElapsed, formatNumber } from '../format/durations.js';
import { Card, Table } from './card.js';
import { oldestWaits } from './oldest-waits.js';
import type { QueueHistory } from './queue-history.js';
import { isBehind } from './verdict.js';

const SPARK = { width: 84, height: 20 };

interface ToolsetsCardProps {
  fleet: FleetState;
  turns: ListedTurn[] | undefined;
  history: QueueHistory;
  nowMs: number;
}

export function ToolsetsCard({ fleet: { toolsets }, turns = [], history, nowMs }: ToolsetsCardProps) {
  const oldest = oldestWaits(turns);
  return (
    <Card id="toolsets" title="Toolsets" note={formatNumber(toolsets.length)}>
      {toolsets.length === 0 ? (
        <p className="ops-none">No worker has announced a toolset yet.</p>
      ) : (
        <Table label="Toolsets">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" className="right">
                Workers
              </th>
              <th scope="col" title="As this page has seen it since it was opened, 30 min at most">
                Queue{spanText(history.spanMs)}
              </th>
              <th scope="col" className="right">
                Now
              </th>
              <th scope="col" className="right" title="The call of the listed turns that has waited longest">
                Oldest
              </th>
              <th
                scope="col"
                className="right"
                title="How long the calls in the queue take at the present rate"
              >
                Wait
              </th>
              <th scope="col" className="right">
                Calls/s
              </th>
              <th scope="col" className="right">
                Running
              </th>
              <th scope="col">Class</th>
            </tr>
          </thead>
          <tbody>
            {toolsets.map((toolset) => (
              <Row
                key={toolset.name}
                toolset={toolset}
                oldestMs={oldest.has(toolset.name) ? nowMs - oldest.get(toolset.name)! : undefined}
                history={history}
              />
            ))}
          </tbody>
        </Table>
      )}
    </Card>
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
  /** How long its oldest known call has waited. */
  oldestMs: number | undefined;
  history: QueueHistory;
}

function Row({ toolset, oldestMs, history }: RowProps) {
  const { name, workers, calls, per_second, estimate_ms, running, slots, classes = [] } = toolset;
  const warn = isBehind(toolset) ? ' is-warning' : '';
  const isQueueEmpty = calls === 0;
  return (
    <tr>
      <th scope="row">
        <Name toolset={toolset} />
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
          <span className="is-bad">No worker is running.</span> {!isQueueEmpty && 'Calls wait for one.'}
        </td>
      ) : (
        <>
          <td className={`right${isQueueEmpty || estimate_ms === undefined ? ' is-zero' : warn}`}>
            {isQueueEmpty || estimate_ms === undefined ? '–' : formatDuration(estimate_ms)}
          </td>
          <td className="right">{per_second.toFixed(1)}</td>
          <td className="right">
            {formatNumber(running)} of {formatNumber(slots)}
          </td>
          <td>{classes.join(', ')}</td>
        </>
      )}
    </tr>
  );
}

function Name({ toolset: { name, source, drift = [] } }: { toolset: ListedToolset }) {
  return (
    <span className="ops-name">
      {name}
      {source && <span className="tag">{source === 'mcp' ? 'MCP' : 'local'}</span>}
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
