import { useSyncExternalStore } from 'react';
import { formatNumber } from '../format/durations.js';
import { Icon } from '../frame/icon.js';
import { atLeast } from './at-least.js';
import type { Watched } from './fleet-watch.js';
import { MAX_LETTERS, MAX_TURNS } from './operator-api.js';
import { OpsIcon, type OpsIconName } from './ops-icon.js';

interface Part {
  id: string;
  name: string;
  icon: OpsIconName;
  count?: string;
  isWarning?: boolean;
}

export function OpsNav({ watched: { fleet, switches, turns, letters } }: { watched: Watched }) {
  const parts: Part[] = [
    { id: 'switches', name: 'Switches', icon: 'switches', count: switches && formatNumber(switches.length) },
    { id: 'toolsets', name: 'Toolsets', icon: 'layers', count: fleet && formatNumber(fleet.toolsets.length) },
    { id: 'processes', name: 'Processes', icon: 'cpu', count: fleet && formatNumber(fleet.processes.length) },
    { id: 'turns', name: 'Turns', icon: 'turns', count: turns && atLeast(turns.length, MAX_TURNS) },
    {
      id: 'dead-letters',
      name: 'Dead letters',
      icon: 'inbox',
      count: letters && atLeast(letters.length, MAX_LETTERS),
      isWarning: letters?.some(({ replayed_at }) => replayed_at === undefined),
    },
    ...(fleet && fleet.models.length > 0
      ? [
          {
            id: 'budgets',
            name: 'Model budgets',
            icon: 'gauge' as const,
            count: formatNumber(fleet.models.length),
          },
        ]
      : []),
    { id: 'models', name: 'Models', icon: 'gauge' },
    { id: 'accounts', name: 'Accounts and usage', icon: 'people' },
  ];
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  const isPart = parts.some(({ id }) => hash === `#${id}`);
  return (
    <aside className="ops-nav">
      <div className="bar">
        <Icon name="switch" className="mark" />
        <span className="brand">Switchyard</span>
      </div>
      <nav aria-label="Operations" className="grow">
        <a href="#overview" aria-current={isPart ? undefined : 'location'}>
          <Icon name="pulse" />
          Overview
        </a>
        {parts.map(({ id, name, icon, count, isWarning }) => (
          <a key={id} href={`#${id}`} aria-current={hash === `#${id}` ? 'location' : undefined}>
            <OpsIcon name={icon} />
            {name}
            {count !== undefined && (
              <span className={`ops-count${isWarning ? ' is-warning' : ''}`}>{count}</span>
            )}
          </a>
        ))}
      </nav>
      <nav aria-label="Other">
        <a href="/">
          <OpsIcon name="out" />
          Back to chat
        </a>
      </nav>
    </aside>
  );
}

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}
