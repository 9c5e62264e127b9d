import { Observable } from '../state/observable.js';

/** The page's location: `/#/c/<conversation id>`, or an empty page with its own name. */
export type Route = { conversationId: string } | { startedOn: string };

/** Where the page is the operators' instead of the chat. */
export const OPS_PATH = '/ops';

const pattern = /^#\/c\/([A-Za-z0-9_-]{1,128})$/;

/** The address bar as a value. */
export class Router {
  readonly route: Observable<Route>;

  /** `startedOn`: the empty page on which messages still wait after a reload. */
  constructor(startedOn: string | undefined) {
    this.route = new Observable(readRoute() ?? { startedOn: startedOn ?? newId() });
    window.addEventListener('hashchange', () => {
      const route = readRoute();
      if (route || 'conversationId' in this.route.get()) this.route.set(route ?? { startedOn: newId() });
    });
  }

  open(conversationId: string): void {
    location.hash = `#/c/${conversationId}`;
  }

  /** A new empty page, even if the current one is empty. */
  openNew(): void {
    this.route.set({ startedOn: newId() });
    if (location.hash !== '#/') location.hash = '#/';
  }

  /** The empty page `startedOn` has become a conversation. */
  settle(startedOn: string, conversationId: string): void {
    const route = this.route.get();
    if (!('startedOn' in route) || route.startedOn !== startedOn) return;
    history.replaceState(null, '', `#/c/${conversationId}`);
    this.route.set({ conversationId });
  }
}

function readRoute(): Route | undefined {
  const conversationId = pattern.exec(location.hash)?.[1];
  return conversationId === undefined ? undefined : { conversationId };
}

/** 32 random hex digits. `crypto.randomUUID` exists only in secure contexts; a page on a LAN is not one. */
export function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
