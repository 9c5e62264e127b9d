import type { CallView } from '#contracts';
import { isThinkingTool } from '#turn';
import { AsideNote } from '../frame/aside-note.js';

/** A call that is a thought and succeeds; a failed one is shown like any other call. */
export function isThought({ tool_name, state }: CallView): boolean {
  return isThinkingTool(tool_name) && (state === 'queued' || state === 'running' || state === 'succeeded');
}

/** The progress of the thinking, as a status; it opens to the thought itself. */
export function ThoughtLine({ call }: { call: CallView }) {
  const { thought, thoughtNumber: number, totalThoughts: total } = call.args;
  const isCounted = typeof number === 'number' && typeof total === 'number';
  const title = isCounted ? `Thought ${number} of ${Math.max(number, total)}` : 'Thought';
  if (typeof thought !== 'string') return <p className="turn-note">{title}</p>;
  return (
    <AsideNote title={title}>
      <p>{thought}</p>
    </AsideNote>
  );
}
