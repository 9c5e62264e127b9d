import type { TurnView } from '#contracts';
import { isHeldBack, type OutgoingMessage } from '../conversation/outbox.js';
import { IconButton } from '../frame/icon-button.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { placeInLine } from '../format/durations.js';

interface TrayProps {
  queued: readonly TurnView[];
  /** Not stored yet, behind a turn that is running. */
  outgoing: readonly OutgoingMessage[];
  onRemoveQueued: (turn: TurnView) => void;
  onRemoveOutgoing: (message: OutgoingMessage) => void;
  onEditQueued: (turn: TurnView) => void;
  onEditOutgoing: (message: OutgoingMessage) => void;
}

/** Queued messages, in the order in which they will be answered. */
export function Tray(props: TrayProps) {
  const isDisconnected = useIsDisconnected();
  const { queued, outgoing } = props;
  if (queued.length + outgoing.length === 0) return null;
  return (
    <section className="tray" aria-label="Messages waiting in line">
      <h3>
        <b>Next</b> · sent in this order, one by one
      </h3>
      <ol>
        {queued.map((turn, index) => (
          <li key={turn.client_message_id}>
            <span className="tray-place">{placeInLine(index + 1)}</span>
            <span className="grow cut">{turn.content}</span>
            <IconButton
              icon="edit"
              label="Edit"
              disabled={isDisconnected}
              onClick={() => props.onEditQueued(turn)}
            />
            <IconButton
              icon="close"
              label="Remove"
              disabled={isDisconnected}
              onClick={() => props.onRemoveQueued(turn)}
            />
          </li>
        ))}
        {outgoing.map((message, index) => (
          <li key={message.clientMessageId}>
            <span className="tray-place">{placeInLine(queued.length + index + 1)}</span>
            <span className="grow cut">{message.content}</span>
            {message.state === 'refused' ? (
              <span className="tag tag-bad" title={message.problem}>
                not sent: {message.problem}
              </span>
            ) : (
              isDisconnected && <span className="tag">on this device only</span>
            )}
            {isHeldBack(message, isDisconnected) && (
              <>
                <IconButton icon="edit" label="Edit" onClick={() => props.onEditOutgoing(message)} />
                <IconButton icon="close" label="Remove" onClick={() => props.onRemoveOutgoing(message)} />
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
