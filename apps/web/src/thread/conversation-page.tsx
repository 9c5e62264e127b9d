import { useState, type RefObject } from 'react';
import type { TurnView } from '#contracts';
import { activeTurn, hasEnded, type HeldConversation } from '../conversation/conversations.js';
import { writeDraft } from '../conversation/drafts.js';
import { isHeldBack, type OutgoingMessage } from '../conversation/outbox.js';
import type { Route } from '../conversation/route.js';
import { useIsDisconnected, type ConnectionLineState } from '../frame/disconnected.js';
import { useObservable, useSession } from '../session/session.js';
import { Composer } from './composer.js';
import { ConnectionLine } from './connection-line.js';
import { DemoNote, Hello, Ideas } from './hello.js';
import { StorageLine } from './storage-line.js';
import { Thread } from './thread.js';
import { wasRemoved } from './turn.js';
import { Tray } from './tray.js';

interface ConversationPageProps {
  route: Route;
  held: HeldConversation | undefined;
  input: RefObject<HTMLTextAreaElement | null>;
  line: ConnectionLineState;
  stop: (turn: TurnView) => void;
  /** The turn that is being stopped. */
  stopping: string | undefined;
  onShowTools: () => void;
}

/** Thread and composer; on an empty page, a welcome instead of the thread. */
export function ConversationPage({
  route,
  held,
  input,
  line,
  stop,
  stopping,
  onShowTools,
}: ConversationPageProps) {
  const { outbox, connection, tools } = useSession();
  const isDisconnected = useIsDisconnected();
  const state = useObservable(connection.state);
  const [draftVersion, setDraftVersion] = useState(0);
  const outgoing = useOutgoing(route, held);
  const { toolsets } = useObservable(tools.state);
  const active = held && activeTurn(held.view);
  const queued = held ? held.view.turns.filter((turn) => !hasEnded(turn) && turn !== active) : [];
  const isEmpty = 'startedOn' in route && outgoing.length === 0;
  // No answer would come there.
  const hasComposer = held?.problem?.code !== 'not_found';
  const model = useModel(route);
  const place = 'startedOn' in route ? 'new' : route.conversationId;

  const say = (content: string) => void outbox.add(content, route);
  const edit = (text: string) => {
    writeDraft(place, text);
    setDraftVersion(draftVersion + 1);
    input.current?.focus();
  };
  const pick = (question: string) => {
    outbox.add(question, route);
    // The button disappears with the examples, and must not take the focus with it.
    input.current?.focus();
  };
  const takeLast = () => {
    const last = outgoing.at(-1);
    // While it is being sent, it can be neither withdrawn nor stopped, and an earlier message is not the last one.
    if (last && !isHeldBack(last, isDisconnected)) return undefined;
    if (last) {
      outbox.remove(last.clientMessageId);
      return last.content;
    }
    const waiting = queued.at(-1);
    if (waiting && !isDisconnected) stop(waiting);
    return waiting && !isDisconnected
      ? waiting.content
      : held?.view.turns.findLast((turn) => !wasRemoved(turn))?.content;
  };
  return (
    <div className={`stage${isEmpty ? ' is-empty' : ''}`}>
      {isEmpty ? (
        <Hello />
      ) : (
        <Thread place={place} held={held} outgoing={active ? [] : outgoing} onSay={say} />
      )}
      {hasComposer && (
        <div className="dock">
          <div className="well">
            <ConnectionLine line={line} state={state} />
            <StorageLine />
            <Tray
              queued={queued}
              outgoing={active ? outgoing : []}
              onRemoveQueued={stop}
              onRemoveOutgoing={(message) => outbox.remove(message.clientMessageId)}
              onEditQueued={(turn) => {
                stop(turn);
                edit(turn.content);
              }}
              onEditOutgoing={(message) => {
                outbox.remove(message.clientMessageId);
                edit(message.content);
              }}
            />
            <Composer
              draftOf={place}
              draftVersion={draftVersion}
              input={input}
              isRunning={active !== undefined}
              isStopping={active !== undefined && stopping === active.turn_id}
              model={model}
              toolsetCount={toolsets?.length}
              onSend={say}
              onStop={active && !isDisconnected ? () => stop(active) : undefined}
              takeLast={takeLast}
              onShowTools={onShowTools}
            />
          </div>
        </div>
      )}
      {isEmpty && <Ideas onPick={pick} />}
      {isEmpty && <DemoNote />}
    </div>
  );
}

/** Of the next turn: the conversation's own, or the deployment's. */
function useModel(route: Route): string | undefined {
  const { defaultModel, list } = useSession();
  const deployments = useObservable(defaultModel.name);
  const { conversations } = useObservable(list.state);
  const id = 'conversationId' in route ? route.conversationId : undefined;
  return conversations.find((one) => one.id === id)?.model || deployments;
}

/** Own messages of this place that no view shows yet. */
function useOutgoing(route: Route, held: HeldConversation | undefined): OutgoingMessage[] {
  const { outbox } = useSession();
  const messages = useObservable(outbox.messages);
  const seen = new Set(held?.view.turns.map((turn) => turn.client_message_id));
  return messages.filter((message) => {
    if (seen.has(message.clientMessageId)) return false;
    if ('conversationId' in route) return message.conversationId === route.conversationId;
    return message.startedOn === route.startedOn;
  });
}
