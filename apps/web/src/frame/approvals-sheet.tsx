import { useEffect, useRef, useState } from 'react';
import type { WaitingApproval } from '../connection/http.js';
import { useObservable, useSession } from '../session/session.js';
import { ApproveButtons } from './approve-buttons.js';
import { IconButton } from './icon-button.js';

/** What waits for this user in other people's conversations, and nothing else of these. */
export default function ApprovalsSheet({ onClose }: { onClose: () => void }) {
  const { approvals: list } = useSession();
  const { approvals, problem } = useObservable(list.state);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="approvals-title" onClose={onClose}>
      <header>
        <h2 id="approvals-title" className="grow title">
          Approvals
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      {problem && (
        <p className="ask-problem approvals-note" role="alert">
          {problem}
        </p>
      )}
      {approvals.length === 0 && <p className="approvals-note quiet">Nothing waits for you.</p>}
      <ul className="approvals">
        {approvals.map((approval) => (
          <li key={approval.tool_call_id}>
            <Approval approval={approval} />
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function Approval({ approval }: { approval: WaitingApproval }) {
  const { approvals: list } = useSession();
  const [isSending, setSending] = useState(false);
  const { tool_name, username, user_id, asked_at, arguments: args } = approval;
  const titleId = `approval-${approval.tool_call_id}`;
  const answer = async (decision: 'approve' | 'deny') => {
    setSending(true);
    await list.answer(approval, decision).finally(() => setSending(false));
  };
  return (
    <section className="ask" aria-labelledby={titleId}>
      <h3 id={titleId}>
        Run <code>{tool_name}</code> for {username ?? user_id}?
      </h3>
      <pre className="approvals-arguments">{args}</pre>
      <div className="ask-actions">
        <span className="grow quiet">Asked {formatDay(asked_at)}</span>
        <ApproveButtons isMain isSending={isSending} onAnswer={(decision) => void answer(decision)} />
      </div>
    </section>
  );
}

/** It may wait for days. */
function formatDay(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
