import { type Connection, RequestError } from '../connection/connection.js';
import { Observable } from '../state/observable.js';
import { deviceStorage } from '../state/device-storage.js';
import { newId } from './route.js';

/** A message that this device holds until a view shows it. */
export interface OutgoingMessage {
  clientMessageId: string;
  /** Absent until the server has given the new conversation its id. */
  conversationId?: string;
  /** The empty page on which it was written; later messages belong to the same new conversation. */
  startedOn?: string;
  content: string;
  /** Ms since epoch; keeps the order over a reload. */
  writtenAt: number;
  /**
   * `unsent`: only on this device. `stored`: the server has it, but the view does not yet. `refused`: it will not be
   * sent again automatically.
   */
  state: 'unsent' | 'stored' | 'refused';
  problem?: string;
}

/** Neither sent nor being sent: it can be withdrawn here. */
export function isHeldBack({ state, problem }: OutgoingMessage, isDisconnected: boolean): boolean {
  return state === 'refused' || (state === 'unsent' && (isDisconnected || problem !== undefined));
}

/** One entry per message: two tabs must not overwrite each other's. */
const PREFIX = 'switchyard.outbox.';

/** Sends messages one at a time, in order, and again after a reconnect. The id makes a resend the same turn. */
export class Outbox {
  readonly messages = new Observable<readonly OutgoingMessage[]>(readKept());
  private isSending = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly connection: Connection,
    /** Called once, when a new conversation has got its id. */
    private readonly onConversation: (startedOn: string, conversationId: string, content: string) => void,
  ) {
    connection.state.subscribe(() => void this.sendAll());
  }

  add(content: string, to: { conversationId: string } | { startedOn: string }): void {
    this.set([
      ...this.messages.get(),
      { clientMessageId: newId(), content, writtenAt: Date.now(), state: 'unsent', ...to },
    ]);
    void this.sendAll();
  }

  remove(clientMessageId: string): void {
    this.set(this.messages.get().filter((message) => message.clientMessageId !== clientMessageId));
  }

  retry(clientMessageId: string): void {
    this.change(clientMessageId, { state: 'unsent', problem: undefined });
    void this.sendAll();
  }

  /** Drops messages that a view shows by now. */
  prune(isShown: (clientMessageId: string) => boolean): void {
    const kept = this.messages.get().filter((message) => !isShown(message.clientMessageId));
    if (kept.length < this.messages.get().length) this.set(kept);
  }

  private async sendAll(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    clearTimeout(this.timer);
    try {
      for (;;) {
        const next = this.messages.get().find((message) => message.state === 'unsent');
        if (!next || this.connection.state.get().phase !== 'connected' || !(await this.send(next))) return;
      }
    } finally {
      this.isSending = false;
    }
  }

  /** True when the next one may follow. */
  private async send(message: OutgoingMessage): Promise<boolean> {
    try {
      const { conversation_id } = await this.connection.request('message', {
        content: message.content,
        client_message_id: message.clientMessageId,
        conversation_id: message.conversationId,
      });
      this.accepted(message, conversation_id);
      return true;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { code, retryAfterMs } = error;
      // No retry waits until tomorrow; the text of the refusal says when.
      const mayComeLater =
        code !== 'budget_exceeded' && (retryAfterMs !== undefined || code === 'unavailable');
      if (!mayComeLater) {
        this.change(message.clientMessageId, { state: 'refused', problem: error.message });
        return true;
      }
      this.change(message.clientMessageId, { problem: error.message });
      this.timer = setTimeout(() => void this.sendAll(), error.retryAfterMs ?? 2_000);
      return false;
    }
  }

  private accepted(message: OutgoingMessage, conversationId: string): void {
    const { startedOn } = message;
    this.set(
      this.messages.get().map((other) => {
        if (other.clientMessageId === message.clientMessageId) {
          return { ...other, conversationId, state: 'stored' as const, problem: undefined };
        }
        const isSameStart = startedOn !== undefined && !other.conversationId && other.startedOn === startedOn;
        return isSameStart ? { ...other, conversationId } : other;
      }),
    );
    if (startedOn !== undefined && message.conversationId === undefined)
      this.onConversation(startedOn, conversationId, message.content);
  }

  private change(clientMessageId: string, change: Partial<OutgoingMessage>): void {
    this.set(
      this.messages
        .get()
        .map((message) =>
          message.clientMessageId === clientMessageId ? { ...message, ...change } : message,
        ),
    );
  }

  private set(messages: readonly OutgoingMessage[]): void {
    const after = new Map(messages.map((message) => [message.clientMessageId, message]));
    for (const { clientMessageId } of this.messages.get()) {
      if (!after.has(clientMessageId)) deviceStorage.remove(PREFIX + clientMessageId);
    }
    for (const message of messages) {
      const key = PREFIX + message.clientMessageId;
      if (message.state === 'stored') deviceStorage.remove(key);
      else deviceStorage.set(key, JSON.stringify(message));
    }
    this.messages.set(messages);
  }
}

function readKept(): OutgoingMessage[] {
  return deviceStorage
    .keys(PREFIX)
    .flatMap((key) => parseKept(deviceStorage.get(key)))
    .sort((a, b) => a.writtenAt - b.writtenAt);
}

/** Other programs may write to the storage of an origin like `localhost`. */
function parseKept(text: string | null): OutgoingMessage[] {
  try {
    const message = JSON.parse(text ?? '') as OutgoingMessage | null;
    return typeof message?.content === 'string' && typeof message.clientMessageId === 'string'
      ? [message]
      : [];
  } catch {
    return [];
  }
}
