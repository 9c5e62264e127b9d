import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { readDraft, writeDraft } from '../conversation/drafts.js';
import { Icon } from '../frame/icon.js';
import { useIsNarrow, useIsTouch } from '../frame/layout.js';

/** The UTF-16 units that the server accepts in one message; above that, it answers `content_too_long`. */
const LONGEST_CONTENT = 65_536;

interface ComposerProps {
  /** Name of the draft: a conversation id or `new`. */
  draftOf: string;
  /** Grows when other code has written the draft. */
  draftVersion: number;
  input: RefObject<HTMLTextAreaElement | null>;
  isRunning: boolean;
  isStopping: boolean;
  /** `provider/model` of the next turn, if it is known. */
  model: string | undefined;
  toolsetCount: number | undefined;
  onSend: (content: string) => void;
  /** Absent while no turn can be stopped. */
  onStop: (() => void) | undefined;
  /** ↑ in an empty composer: what to edit. */
  takeLast: () => string | undefined;
  onShowTools: () => void;
}

export function Composer(props: ComposerProps) {
  const { draftOf, draftVersion, input, isRunning, onSend, takeLast } = props;
  const source = `${draftVersion} ${draftOf}`;
  const [text, setText] = useState(() => readDraft(draftOf));
  const [shownSource, setShownSource] = useState(source);
  // The field stays the same element across conversations, so that it keeps the focus.
  if (shownSource !== source) {
    setShownSource(source);
    setText(readDraft(draftOf));
  }
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => grow(field.current), [text]);
  useEffect(() => {
    input.current = field.current;
  }, [input]);

  const change = (next: string) => {
    setText(next);
    writeDraft(draftOf, next);
  };
  const nextMessage = useIsNarrow()
    ? 'Write the next message'
    : 'Write the next message; it waits for its turn';
  const isTouch = useIsTouch();
  const isTooLong = text.length > LONGEST_CONTENT;
  const canSend = text.trim() !== '' && !isTooLong;
  const send = () => {
    if (!canSend) return;
    onSend(text);
    change('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const wantsLine = event.shiftKey || (isTouch && !event.ctrlKey && !event.metaKey);
    if (event.key === 'Enter' && !wantsLine) {
      event.preventDefault();
      send();
    } else if (event.key === 'ArrowUp' && text === '') {
      const last = takeLast();
      if (last === undefined) return;
      event.preventDefault();
      change(last);
    }
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label="Message"
        aria-describedby={isTooLong ? 'too-long' : undefined}
        placeholder={isRunning ? nextMessage : 'Ask, or say what to do'}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="composer-bar">
        {props.model !== undefined && (
          <span className="composer-model cut" title={`The model that answers: ${props.model}`}>
            {props.model.slice(props.model.indexOf('/') + 1)}
          </span>
        )}
        <Toolsets count={props.toolsetCount} onShow={props.onShowTools} />
        <span className="grow" />
        {isTooLong ? (
          <span id="too-long" className="composer-problem" role="alert">
            {text.length - LONGEST_CONTENT} characters too long
          </span>
        ) : (
          !isTouch && (
            <span className="composer-hint">
              {isRunning && text !== '' ? 'Enter puts it in line, Esc twice stops' : 'Enter sends'}
            </span>
          )
        )}
        <SendOrStop
          canSend={canSend}
          isStop={isRunning && text.trim() === ''}
          send={send}
          onStop={props.onStop}
          isStopping={props.isStopping}
        />
      </div>
    </form>
  );
}

function Toolsets({ count, onShow }: { count: number | undefined; onShow: () => void }) {
  if (count === undefined) return null;
  return (
    <button type="button" className="button button-ghost" onClick={onShow}>
      <Icon name="switch" />
      {count} {count === 1 ? 'toolset' : 'toolsets'}
    </button>
  );
}

interface SendOrStopProps extends Pick<ComposerProps, 'onStop' | 'isStopping'> {
  canSend: boolean;
  isStop: boolean;
  send: () => void;
}

/** One element in both roles, and never `disabled`, so that it does not lose the focus when its role changes. */
function SendOrStop({ canSend, isStop, send, onStop, isStopping }: SendOrStopProps) {
  const isReady = isStop ? onStop !== undefined && !isStopping : canSend;
  const stopLabel = isStopping ? 'Stopping' : 'Stop';
  const stopTitle = onStop ? `${stopLabel} (Esc)` : 'Not connected';
  return (
    <button
      type="button"
      className={isStop ? 'send send-stop' : 'send'}
      aria-label={isStop ? stopLabel : 'Send'}
      title={isStop ? stopTitle : 'Send (Enter)'}
      aria-disabled={!isReady}
      onClick={() => isReady && (isStop ? onStop?.() : send())}
    >
      <Icon name={isStop ? 'stop' : 'up'} />
    </button>
  );
}

/** As high as its text, up to a third of the window; then it scrolls. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight, Math.max(120, window.innerHeight / 3))}px`;
}
