import type { Thought } from '../conversation/thoughts.js';
import { AsideNote } from '../frame/aside-note.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { formatDuration } from '../format/durations.js';
import { Markdown } from '../markdown/markdown.js';

/** A shorter time says nothing about the model. */
const WORTH_SAYING_MS = 1_000;

interface ThinkingNoteProps {
  thought: Thought;
  /** The model is still thinking, as far as is known. */
  isThinking: boolean;
}

/** The model's thinking before the text of a step. It can be opened while it grows. */
export function ThinkingNote({ thought, isThinking }: ThinkingNoteProps) {
  const isDisconnected = useIsDisconnected();
  const isMoving = isThinking && !isDisconnected;
  return (
    <AsideNote title={titleOf(thought, isThinking, isDisconnected)} isMoving={isMoving}>
      <div className="prose">
        <Markdown text={thought.text} />
      </div>
    </AsideNote>
  );
}

function titleOf({ beganAt, lastAt }: Thought, isThinking: boolean, isDisconnected: boolean): string {
  if (isThinking) return isDisconnected ? 'Was thinking' : 'Thinking…';
  const ms = beganAt === undefined ? 0 : lastAt - beganAt;
  return ms < WORTH_SAYING_MS ? 'Thought' : `Thought for ${formatDuration(ms)}`;
}
