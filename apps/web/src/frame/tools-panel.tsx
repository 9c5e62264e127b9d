import { useState } from 'react';
import type { ToolClass, TurnView } from '#contracts';
import { useNow } from '../conversation/clock.js';
import { hasEnded } from '../conversation/conversations.js';
import { useObservable, useSession } from '../session/session.js';
import type { ListedTool } from '../connection/http.js';
import { countOf, formatDuration, formatElapsed, formatNumber } from '../format/durations.js';
import { toolNameOf } from '../format/tool-name.js';
import type { ListedToolset } from '../session/tool-list.js';
import { Boundary, FailedPart } from './boundary.js';
import { FoldButton } from './fold-button.js';
import { Icon } from './icon.js';
import { IconButton } from './icon-button.js';

const CLASS_WORDS: Record<ToolClass, string> = {
  read: 'read: changes nothing, and runs again when its worker is lost',
  idempotent: 'idempotent: runs again when its worker is lost, with the same effect',
  keyed: 'keyed: runs again when its worker is lost; its key keeps the effect single',
  once: 'once: runs at most once',
};

export function ToolsPanel({ turn, onHide }: { turn: TurnView | undefined; onHide: () => void }) {
  return (
    <aside className="panel" aria-label="Tools and usage">
      <div className="bar">
        <h2 className="grow title">Tools and usage</h2>
        <IconButton icon="close" label="Hide tools" onClick={onHide} />
      </div>
      <div className="panel-scroll">
        <Boundary of={turn} instead={(again) => <FailedPart what="The list of tools" again={again} />}>
          {turn && <Usage turn={turn} />}
          <Toolsets />
        </Boundary>
      </div>
    </aside>
  );
}

function Usage({ turn }: { turn: TurnView }) {
  const { clock } = useSession();
  const isRunning = !hasEnded(turn) && turn.started_at !== undefined;
  const now = useNow(clock, isRunning);
  const calls = turn.steps.flatMap((step) => step.calls);
  const figures: [string, string][] = [];
  if (turn.started_at) {
    const ranMs = (turn.ended_at ? Date.parse(turn.ended_at) : now) - Date.parse(turn.started_at);
    figures.push(['Time', (isRunning ? formatElapsed : formatDuration)(ranMs)]);
  }
  figures.push(['Steps', formatNumber(turn.steps.length)], ['Calls', formatNumber(calls.length)]);
  if (turn.usage) {
    figures.push(['Tokens read', formatNumber(turn.usage.input_tokens)]);
    figures.push(['Tokens written', formatNumber(turn.usage.output_tokens)]);
    if (turn.usage.cached_tokens > 0)
      figures.push(['Read from cache', formatNumber(turn.usage.cached_tokens)]);
  }
  return (
    <section className="panel-section">
      <h3>{isRunning ? 'This turn' : 'Last turn'}</h3>
      <dl className="usage">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Toolsets() {
  const { tools } = useSession();
  const { toolsets, problem } = useObservable(tools.state);
  return (
    <section className="panel-section">
      <h3>
        Toolsets
        <button type="button" className="text-button" onClick={() => void tools.read()}>
          Read again
        </button>
      </h3>
      {problem && <p className="quiet">{problem}</p>}
      {toolsets?.length === 0 && <p className="quiet">No worker offers a tool.</p>}
      <ul className="toolsets">
        {toolsets?.map((toolset, index) => (
          <Toolset key={toolset.name} toolset={toolset} isFirst={index === 0} />
        ))}
      </ul>
    </section>
  );
}

function Toolset({ toolset, isFirst }: { toolset: ListedToolset; isFirst: boolean }) {
  const [isOpen, setOpen] = useState(isFirst);
  return (
    <li>
      <FoldButton className="toolset" isOpen={isOpen} onToggle={() => setOpen(!isOpen)}>
        <Icon name="chevron" className="chevron" />
        <b className="cut">{toolset.name}</b>
        <span className="tag">{toolset.source === 'mcp' ? 'MCP' : 'local'}</span>
        <span className="toolset-size">{countOf(toolset.tools.length, 'tool')}</span>
      </FoldButton>
      {isOpen && (
        <ul>
          {toolset.tools.map((tool) => (
            <li key={tool.qualified_name} className="tool" title={tool.description}>
              <span className="tool-name cut" title={tool.qualified_name}>
                {ownName(tool)}
              </span>
              <span className="tool-class" title={tool.class && CLASS_WORDS[tool.class]}>
                {tool.class}
              </span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** `math.add` stands under `math`, so `add` is enough. */
function ownName({ name, qualified_name }: ListedTool): string {
  return toolNameOf({ tool_name: qualified_name, display_name: name }).tool;
}
