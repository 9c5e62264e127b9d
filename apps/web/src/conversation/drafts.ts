const key = (place: string) => `switchyard.draft.${place}`;

/** The unsent text in the composer of a conversation (`new` for the empty page), stored on this device. */
export function readDraft(place: string): string {
  return localStorage.getItem(key(place)) ?? '';
}

export function writeDraft(place: string, text: string): void {
  if (text === '') localStorage.removeItem(key(place));
  else localStorage.setItem(key(place), text);
}
