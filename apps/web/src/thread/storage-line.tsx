import { Icon } from '../frame/icon.js';
import { useObservable } from '../session/session.js';
import { deviceStorage } from '../state/device-storage.js';

/** Shown above the composer while something that was written is in this page only. */
export function StorageLine() {
  const isForgetful = useObservable(deviceStorage.isForgetful);
  if (!isForgetful) return null;
  return (
    <div className="connection-line" role="alert">
      <Icon name="warn" />
      <span>
        This browser’s storage is full or forbidden. What is not sent yet is lost when this page closes.
      </span>
    </div>
  );
}
