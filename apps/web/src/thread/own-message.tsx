import type { OutgoingMessage } from '../conversation/outbox.js';
import { useIsDisconnected } from '../frame/disconnected.js';
import { useSession } from '../session/session.js';

export function OwnMessage({ content }: { content: string }) {
  return (
    <div className="own-message">
      <h2 className="visually-hidden">You</h2>
      <p>{content}</p>
    </div>
  );
}

/** Shown at once; its state is below it. */
export function OutgoingBubble({ message }: { message: OutgoingMessage }) {
  const { outbox } = useSession();
  const isDisconnected = useIsDisconnected();
  return (
    <div className="own-message" data-outgoing={message.state}>
      <h2 className="visually-hidden">You</h2>
      <p>{message.content}</p>
      {message.state === 'unsent' && (isDisconnected || message.problem) && (
        <span className="own-note">
          On this device only. {message.problem ?? 'It is sent once you are connected again.'}
        </span>
      )}
      {message.state === 'refused' && (
        <span className="own-note own-note-bad" role="alert">
          Not sent: {message.problem}{' '}
          <button type="button" className="text-button" onClick={() => outbox.retry(message.clientMessageId)}>
            Try again
          </button>
          <button
            type="button"
            className="text-button"
            onClick={() => outbox.remove(message.clientMessageId)}
          >
            Remove
          </button>
        </span>
      )}
    </div>
  );
}
