import { useIsDisconnected } from './disconnected.js';

interface ApproveButtonsProps {
  isMain?: boolean;
  isSending: boolean;
  onAnswer: (decision: 'approve' | 'deny') => void;
}

/** Never `disabled`: a focused button must not lose the focus before it disappears. */
export function ApproveButtons({ isMain = false, isSending, onAnswer }: ApproveButtonsProps) {
  const isBlocked = useIsDisconnected() || isSending;
  return (
    <>
      <button
        type="button"
        className="button"
        aria-disabled={isBlocked}
        onClick={() => isBlocked || onAnswer('deny')}
      >
        Deny
      </button>
      <button
        type="button"
        className={isMain ? 'button button-main' : 'button'}
        aria-disabled={isBlocked}
        onClick={() => isBlocked || onAnswer('approve')}
      >
        Approve
      </button>
    </>
  );
}
