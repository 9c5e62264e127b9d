import { deviceStorage } from '../state/device-storage.js';

const key = (place: string) => `switchyard.draft.${place}`;

/** The unsent text in the composer of a conversation (`new` for the empty page), stored on this device. */
export function readDraft(place: string): string {
  return deviceStorage.get(key(place)) ?? '';
}

export function writeDraft(place: string, text: string): void {
  if (text === '') deviceStorage.remove(key(place));
  else deviceStorage.set(key(place), text);
}
