import { createContext, use, useSyncExternalStore } from 'react';
import { Connection } from '../connection/connection.js';
import type { Observable } from '../state/observable.js';
import { Clock } from '../conversation/clock.js';
import { ConversationList } from '../conversation/conversation-list.js';
import { Conversations } from '../conversation/conversations.js';
import { Outbox } from '../conversation/outbox.js';
import { Router } from '../conversation/route.js';
import { titleFrom } from '../conversation/conversation-title.js';
import { ApprovalList } from './approval-list.js';
import { DefaultModel } from './default-model.js';
import { ToolList } from './tool-list.js';

/** The page's state that outlives a component. */
export interface Session {
  connection: Connection;
  conversations: Conversations;
  list: ConversationList;
  outbox: Outbox;
  router: Router;
  clock: Clock;
  tools: ToolList;
  approvals: ApprovalList;
  defaultModel: DefaultModel;
}

/** As often as workers announce their tools. */
const TOOLS_EVERY_MS = 10_000;
const APPROVALS_EVERY_MS = 5_000;

export function startSession(): Session {
  const connection = new Connection();
  const conversations = new Conversations(connection);
  const list = new ConversationList(() => connection.signOut('refused'));
  const tools = new ToolList();
  const approvals = new ApprovalList();
  const defaultModel = new DefaultModel();
  const outbox = new Outbox(connection, (startedOn, id, content) => {
    router.settle(startedOn, id);
    void list.nameNew(id, titleFrom(content));
  });
  const unsettled = outbox.messages.get().find((message) => !message.conversationId && message.startedOn);
  const router = new Router(unsettled?.startedOn);
  const clock = new Clock(connection, conversations);

  const follow = () => {
    const route = router.route.get();
    conversations.show('conversationId' in route ? route.conversationId : undefined);
  };
  router.route.subscribe(follow);
  conversations.onTurnChange(() => list.refresh());
  // Other tabs and devices change the list too, without an event.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden || connection.state.get().phase !== 'connected') return;
    list.refresh();
    void tools.read();
    void defaultModel.read();
    void approvals.read();
  });
  // MCP servers come and go without an event for the page.
  setInterval(() => {
    if (!document.hidden && connection.state.get().phase === 'connected') void tools.read();
  }, TOOLS_EVERY_MS);
  setInterval(() => {
    if (!document.hidden && connection.state.get().phase === 'connected') void approvals.read();
  }, APPROVALS_EVERY_MS);
  conversations.held.subscribe(() => outbox.prune((id) => isShown(conversations, id)));
  let wasConnected = false;
  connection.state.subscribe(() => {
    const { phase } = connection.state.get();
    const isConnected = phase === 'connected';
    if (phase === 'signed_out') list.stop();
    if (isConnected && !wasConnected) {
      list.refresh();
      void tools.read();
      void defaultModel.read();
      void approvals.start();
    }
    wasConnected = isConnected;
  });
  follow();
  connection.open();
  return { connection, conversations, list, outbox, router, clock, tools, approvals, defaultModel };
}

function isShown(conversations: Conversations, clientMessageId: string): boolean {
  for (const { view } of conversations.held.get().values()) {
    if (view.turns.some((turn) => turn.client_message_id === clientMessageId)) return true;
  }
  return false;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('no session around this component');
  return session;
}

export function useObservable<T>(observable: Observable<T>): T {
  return useSyncExternalStore(observable.subscribe, observable.get);
}
