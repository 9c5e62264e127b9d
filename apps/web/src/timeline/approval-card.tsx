import { useRef } from 'react';
import type { CallView } from '#contracts';
import { toVisibleJson, toVisibleText } from '#turn';
import { ApproveButtons } from '../frame/approve-buttons.js';
import { wholeToolName } from '../format/tool-name.js';
import { useApproval } from './answer-approval.js';
import { useFocusOfRow } from './focus-of-row.js';

interface ApprovalProps {
  call: CallView;
  turnId: string;
}

/** Asks in place, next to all arguments. It never takes the focus. */
export function ApprovalCard({ call, turnId }: ApprovalProps) {
  const card = useRef<HTMLDivElement>(null);
  useFocusOfRow(card);
  const { answer, isSending, problem } = useApproval(turnId);
  const titleId = `approve-${call.tool_call_id}`;
  return (
    <div ref={card} className="ask" role="group" aria-labelledby={titleId}>
      <h3 id={titleId}>
        Run <code>{toVisibleText(wholeToolName(call))}</code>?
      </h3>
      <dl className="ask-arguments">
        {Object.entries(call.args).map(([name, value]) => (
          <div key={name}>
            <dt>{toVisibleText(name)}</dt>
            <dd>{toVisibleJson(value)}</dd>
          </div>
        ))}
      </dl>
      <Problem words={problem} />
      <div className="ask-actions">
        <span className="grow quiet">You can answer on any of your devices.</span>
        <ApproveButtons
          isMain
          isSending={isSending}
          onAnswer={(decision) => void answer(decision, [call.tool_call_id])}
        />
      </div>
    </div>
  );
}

interface ApprovalLineProps extends ApprovalProps {
  /** The call whose card is above; arguments that both share are not repeated. */
  above: CallView;
}

/** Another waiting call of the step, answered in its row. All of its arguments are also there. */
export function ApprovalLine({ call, turnId, above }: ApprovalLineProps) {
  const line = useRef<HTMLDivElement>(null);
  useFocusOfRow(line);
  const { answer, isSending, problem } = useApproval(turnId);
  return (
    <div
      ref={line}
      className="ask-line"
      role="group"
      aria-label={`Run ${toVisibleText(wholeToolName(call))}?`}
    >
      <code className="grow">{argumentsBeside(call, above)}</code>
      <ApproveButtons
        isSending={isSending}
        onAnswer={(decision) => void answer(decision, [call.tool_call_id])}
      />
      <Problem words={problem} />
    </div>
  );
}

function Problem({ words }: { words: string | undefined }) {
  return (
    words && (
      <p className="ask-problem" role="alert">
        {words}
      </p>
    )
  );
}

function argumentsBeside(call: CallView, above: CallView): string {
  const isSameTool = call.tool_name === above.tool_name;
  const said = new Map(
    isSameTool ? Object.entries(above.args).map(([name, value]) => [name, toVisibleJson(value)]) : [],
  );
  const written = Object.entries(call.args).map(([name, value]) => [name, toVisibleJson(value)] as const);
  const own = written.filter(([name, value]) => said.get(name) !== value);
  // Arguments that only the call above has must not appear to be shared.
  const isWhole = [...said.keys()].every((name) => name in call.args);
  const shown = isWhole ? own : written;
  const parts = shown.map(([name, value]) => `${toVisibleText(name)}: ${value}`);
  if (shown.length < written.length) parts.push(own.length === 0 ? 'all as above' : 'rest as above');
  return parts.length === 0 ? 'no arguments' : parts.join(', ');
}
