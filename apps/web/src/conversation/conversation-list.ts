import { HttpError, PAGE_OF_CONVERSATIONS, type ConversationSummary } from '../connection/http.js';
import {
  deleteConversation,
  listConversations,
  readConversation,
  renameConversation,
} from '../connection/http.js';
import { Observable } from '../state/observable.js';
import { isUnnamed } from './conversation-title.js';

export interface ConversationListState {
  /** Newest first. */
  conversations: readonly ConversationSummary[];
  isLoaded: boolean;
  hasMore: boolean;
  problem?: string;
}

const REFRESH_DELAY_MS = 150;
const CHANNEL = 'switchyard.conversations';

/** The list at the left. It is read over HTTP, and again when something in it may have changed. */
export class ConversationList {
  readonly state = new Observable<ConversationListState>({
    conversations: [],
    isLoaded: false,
    hasMore: false,
  });
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** To the other windows of this browser. */
  private readonly windows = new BroadcastChannel(CHANNEL);

  constructor(private readonly onUnauthorized: () => void) {
    this.windows.onmessage = () => this.state.get().isLoaded && this.refresh();
  }

  /** Reads soon, and once for any number of requests. */
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(0), REFRESH_DELAY_MS);
  }

  /** Stops all reads, including requested ones. */
  stop(): void {
    clearTimeout(this.timer);
  }

  readMore(): Promise<void> {
    return this.read(this.state.get().conversations.length);
  }

  async rename(id: string, title: string): Promise<void> {
    const { conversations } = this.state.get();
    this.replace(conversations.map((one) => (one.id === id ? { ...one, title } : one)));
    if (await this.attempt(() => renameConversation(id, title))) this.changed();
    else this.state.set({ ...this.state.get(), conversations });
  }

  /** Gives a conversation that a message started its title, unless it has one. The server never invents titles. */
  async nameNew(id: string, title: string): Promise<void> {
    await this.attempt(async () => {
      const { title: present } = await readConversation(id);
      if (isUnnamed(present)) await renameConversation(id, title);
    });
    this.changed();
  }

  /** True when it no longer exists. */
  async remove(id: string): Promise<boolean> {
    const isGone = await this.attempt(() => deleteConversation(id));
    if (isGone) {
      this.replace(this.state.get().conversations.filter((one) => one.id !== id));
      this.windows.postMessage('changed');
    }
    return isGone;
  }

  private changed(): void {
    this.refresh();
    this.windows.postMessage('changed');
  }

  private async read(skip: number): Promise<void> {
    const before = this.state.get();
    await this.attempt(async () => {
      const page = await listConversations(skip);
      const seen = new Set(page.map((one) => one.id));
      const others = before.conversations.filter((one) => !seen.has(one.id));
      const isWhole = page.length < PAGE_OF_CONVERSATIONS;
      // A first page that is not the whole list says nothing about the conversations after it.
      const after = isWhole ? [] : others;
      const conversations = skip > 0 ? [...others, ...page] : [...page, ...after];
      const hasMore =
        skip > 0 || before.conversations.length <= PAGE_OF_CONVERSATIONS ? !isWhole : before.hasMore;
      this.state.set({ conversations, isLoaded: true, hasMore });
    });
  }

  /** False, and the reason in `problem`, when the server refused. */
  private async attempt(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      if (error.status === 401) this.onUnauthorized();
      this.state.set({ ...this.state.get(), problem: error.message });
      return false;
    }
  }

  private replace(conversations: readonly ConversationSummary[]): void {
    this.state.set({ ...this.state.get(), conversations, problem: undefined });
  }
}
