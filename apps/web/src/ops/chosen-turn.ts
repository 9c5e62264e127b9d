import { useSyncExternalStore } from 'react';

const PATTERN = /^#\/turns\/([^/]{1,300})$/;
/** The last choice: an address such as `#toolsets` leads to a part of the page and chooses nothing. */
let chosen = readHash(location.hash, undefined);

/** The id of the turn in the address `/ops#/turns/<id>`. */
export function useChosenTurn(): string | undefined {
  return useSyncExternalStore(subscribe, () => chosen);
}

export const turnHash = (id: string) => `#/turns/${encodeURIComponent(id)}`;
export const NO_TURN = '#/';

function subscribe(listener: () => void): () => void {
  const onChange = () => {
    chosen = readHash(location.hash, chosen);
    listener();
  };
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

function readHash(hash: string, before: string | undefined): string | undefined {
  if (hash === NO_TURN) return undefined;
  const id = PATTERN.exec(hash)?.[1];
  return id === undefined ? before : decode(id);
}

/** People edit addresses: an id that is not encoded properly is looked up as it is. */
function decode(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
