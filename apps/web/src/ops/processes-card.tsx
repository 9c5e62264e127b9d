import { useState } from 'react';
import type { ListedProcess, ListedSwitch } from '#contracts';
import { formatElapsed, formatNumber } from '../format/durations.js';
import { Icon } from '../frame/icon.js';
import type { Beats } from './beats.js';
import { Card, Table } from './card.js';
import { shortId } from './short-id.js';
import { SwitchButton } from './switch-button.js';
import { findSwitch } from './switch-words.js';
import { fullness, groupByRole, loadText, type ProcessGroup } from './process-groups.js';

/** A small fleet is shown as it is. */
const SHOWN_AT_ONCE = 8;
/** Two beats, and what the gateway keeps an answer for. */
const STILL_MS = 6_000;

interface ProcessesCardProps {
  processes: ListedProcess[];
  switches: ListedSwitch[];
  beats: Beats;
  nowMs: number;
  onChange: () => void;
}

export function ProcessesCard({ processes, ...shared }: ProcessesCardProps) {
  return (
    <Card id="processes" title="Processes" note={formatNumber(processes.length)}>
      <Table label="Processes">
        <thead>
          <tr>
            <th scope="col">Role</th>
            <th scope="col">Host</th>
            <th scope="col">Load</th>
            <th scope="col">Heartbeat</th>
            <th scope="col">Version</th>
            <th scope="col">Uptime</th>
            <th scope="col" className="ops-actions">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        {groupByRole(processes).map((group) => (
          <Group
            key={group.role}
            group={group}
            isShownAtFirst={processes.length <= SHOWN_AT_ONCE}
            {...shared}
          />
        ))}
      </Table>
    </Card>
  );
}

interface GroupProps extends Omit<ProcessesCardProps, 'processes'> {
  group: ProcessGroup;
  isShownAtFirst: boolean;
}

function Group({ group, isShownAtFirst, ...shared }: GroupProps) {
  const [isShown, setShown] = useState(isShownAtFirst);
  const { name, processes, carries, versions, lost } = group;
  return (
    <tbody>
      <tr>
        <th scope="rowgroup">
          <button
            type="button"
            className="ops-fold"
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            <Icon name="chevron" className="chevron" />
            {name} <span className="quiet">{formatNumber(processes.length)}</span>
          </button>
        </th>
        <td />
        <td colSpan={2} className={lost > 0 ? 'is-warning' : undefined}>
          <span className="ops-carries">
            <span className="ops-beats" aria-hidden="true">
              {processes.map((process) => (
                <Beat key={process.id} process={process} />
              ))}
            </span>
            {carries}
          </span>
        </td>
        <td>{versions}</td>
        <td />
        <td className="ops-actions" />
      </tr>
      {isShown && processes.map((process) => <Row key={process.id} process={process} {...shared} />)}
    </tbody>
  );
}

interface RowProps extends Omit<ProcessesCardProps, 'processes'> {
  process: ListedProcess;
}

function Row({ process, switches, beats, nowMs, onChange }: RowProps) {
  const { id, host, load, version, started_at, is_alive } = process;
  const drain = findSwitch(switches, 'process', id);
  return (
    <tr>
      <th scope="row" className="ops-inner">
        <code title={id}>{shortId(id)}</code>
      </th>
      <td>{host}</td>
      <td>
        {loadText(process)}
        {(load.draining || drain) && (
          <span className="tag ops-tag" title={drain && `By ${drain.by} at ${drain.at}`}>
            draining
          </span>
        )}
      </td>
      <Heartbeat isAlive={is_alive} stillMs={beats.stillForMs(id, nowMs)} />
      <td>{version ?? 'unknown'}</td>
      <td title={started_at}>
        {started_at === undefined ? 'unknown' : formatElapsed(nowMs - Date.parse(started_at))}
      </td>
      <td className="right ops-actions">
        {(is_alive || drain) && (
          <SwitchButton
            place={{ kind: 'process', name: id }}
            row={drain}
            className="button button-ghost"
            onChange={onChange}
          >
            {drain ? 'Undo' : 'Drain'}
          </SwitchButton>
        )}
      </td>
    </tr>
  );
}

/** `stillMs`: as this page has seen it itself. */
function Heartbeat({ isAlive, stillMs }: { isAlive: boolean; stillMs: number }) {
  if (!isAlive) return <td className="is-warning">lost</td>;
  if (stillMs < STILL_MS) return <td>beats</td>;
  return <td className="is-warning">still for {formatElapsed(stillMs)}</td>;
}

function Beat({ process }: { process: ListedProcess }) {
  const { is_alive, load } = process;
  const state = is_alive ? (load.draining ? 'draining' : 'alive') : 'lost';
  const share = fullness(process);
  // An attribute of SVG: the page's policy allows no styles in its elements.
  return (
    <svg className={`ops-beat is-${state}`} viewBox="0 0 14 14">
      <rect width="14" height="14" rx="3" />
      {share !== undefined && state === 'alive' && (
        <rect className="ops-beat-load" y={14 - 14 * share} width="14" height={14 * share} />
      )}
    </svg>
  );
}
