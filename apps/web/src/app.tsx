import { lazy, useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { TurnView } from '#contracts';
import { RequestError } from './connection/connection.js';
import { activeTurn, hasEnded } from './conversation/conversations.js';
import { Announcer } from './frame/announcer.js';
import { Later } from './frame/boundary.js';
import { DisconnectedContext, useConnectionLine } from './frame/disconnected.js';
import { Header } from './frame/header.js';
import { isTouch, useLayout } from './frame/layout.js';
import { usePageKeys } from './keys/page-keys.js';
import { Sidebar } from './frame/sidebar.js';
import { usePageTitle } from './frame/page-title.js';
import { headingOf } from './frame/titles.js';
import { ToolsPanel } from './frame/tools-panel.js';
import { useObservable, useSession } from './session/session.js';
import { ConversationPage } from './thread/conversation-page.js';

const ShortcutsSheet = lazy(() => import('./frame/shortcuts-sheet.js'));
const SignIn = lazy(() => import('./frame/sign-in.js'));

export function App() {
  const { connection } = useSession();
  const isSignedOut = useObservable(connection.state).phase === 'signed_out';
  if (!isSignedOut) return <Page />;
  return (
    <Later what="The sign-in">
      <SignIn connection={connection} />
    </Later>
  );
}

function Page() {
  const { connection, conversations, list, router } = useSession();
  const route = useObservable(router.route);
  const heldById = useObservable(conversations.held);
  const summaries = useObservable(list.state).conversations;
  const line = useConnectionLine(useObservable(connection.state));
  const [isKeysShown, setKeysShown] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);

  const id = 'conversationId' in route ? route.conversationId : undefined;
  const held = id === undefined ? undefined : heldById.get(id);
  const active = held && activeTurn(held.view);
  const summary = summaries.find((one) => one.id === id);
  const title = headingOf(id, summary, held);
  const layout = useLayout(id === undefined);
  const { show, drawer } = layout;
  const { stop, stopping, problem } = useStop();
  usePageTitle(title, active);

  const closeDrawer = useCallback(() => drawer && show(drawer, false), [drawer, show]);
  useDrawerFocus(drawer);
  useFocusOnArrival(input);
  const startNew = () => {
    router.openNew();
    closeDrawer();
    input.current?.focus();
  };
  const isMeant = useSecondPress(() => (input.current?.value ?? '') === '');
  usePageKeys({
    escape: () => {
      if (drawer) show(drawer, false);
      else if (active && line !== 'reconnecting' && isMeant()) stop(active);
    },
    search: () => {
      // Rendered synchronously: the user may type the next letter before the field would otherwise appear.
      flushSync(() => show('sidebar', true));
      search.current?.focus();
    },
    newConversation: startNew,
    togglePanel: () => show('panel', !layout.isPanelShown),
    write: () => input.current?.focus(),
    showKeys: () => setKeysShown(true),
  });
  const isLost = line === 'reconnecting';
  return (
    <DisconnectedContext value={isLost}>
      <div className={`page${isLost ? ' is-disconnected' : ''}`}>
        <button type="button" className="skip-link" onClick={() => input.current?.focus()}>
          To the message field
        </button>
        {layout.isSidebarShown && (
          <Sidebar
            currentId={id}
            search={search}
            onHide={() => show('sidebar', false)}
            onNew={startNew}
            onOpen={() => {
              closeDrawer();
              if (!isTouch()) input.current?.focus();
            }}
            onShowKeys={() => setKeysShown(true)}
          />
        )}
        <main className="main" inert={drawer !== undefined}>
          <Header
            conversationId={id}
            title={title}
            isSidebarShown={layout.isSidebarShown}
            isPanelShown={layout.isPanelShown}
            onShowSidebar={() => show('sidebar', true)}
            onTogglePanel={() => show('panel', !layout.isPanelShown)}
          />
          {problem && held?.view.turns.some((turn) => turn.turn_id === problem.turnId && !hasEnded(turn)) && (
            <p className="page-problem" role="alert">
              {problem.words}
            </p>
          )}
          <ConversationPage
            route={route}
            held={held}
            input={input}
            line={line}
            stop={stop}
            stopping={stopping}
            onShowTools={() => show('panel', true)}
          />
        </main>
        {layout.isPanelShown && (
          <ToolsPanel turn={active ?? held?.view.turns.at(-1)} onHide={() => show('panel', false)} />
        )}
        {drawer && <button type="button" className="scrim" aria-label="Close" onClick={closeDrawer} />}
        {isKeysShown && (
          <Later what="The list of shortcuts">
            <ShortcutsSheet onClose={() => setKeysShown(false)} />
          </Later>
        )}
        <Announcer view={held?.view} line={line} />
      </div>
    </DisconnectedContext>
  );
}

const SECOND_PRESS_MS = 1_500;

/** What cannot be taken back needs a second press soon after the first, unless there is nothing to lose. */
function useSecondPress(isHarmless: () => boolean): () => boolean {
  const pressedAt = useRef(-Infinity);
  return () => {
    const now = performance.now();
    const isSecond = now - pressedAt.current < SECOND_PRESS_MS;
    pressedAt.current = isSecond ? -Infinity : now;
    return isSecond || isHarmless();
  };
}

/** Stop is requested once per turn; the end of the turn arrives as an event. */
function useStop() {
  const { connection } = useSession();
  const [stopping, setStopping] = useState<string>();
  const [problem, setProblem] = useState<{ turnId: string; words: string }>();
  const stop = useCallback(
    (turn: TurnView) => {
      setStopping(turn.turn_id);
      setProblem(undefined);
      connection
        .request('stop', { turn_id: turn.turn_id })
        .catch((error: unknown) => {
          const reason = error instanceof RequestError ? error.message : 'no answer.';
          setProblem({ turnId: turn.turn_id, words: `Not stopped: ${reason}` });
        })
        .finally(() => setStopping((now) => (now === turn.turn_id ? undefined : now)));
    },
    [connection],
  );
  return { stop, stopping, problem };
}

/** Who opens the page can write at once. A keyboard on the screen would cover it. */
function useFocusOnArrival(input: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (!isTouch() && document.activeElement === document.body) input.current?.focus();
  }, [input]);
}

/**
 * A drawer takes the focus when it opens and returns it when it closes. The page behind it cannot be used meanwhile.
 */
function useDrawerFocus(drawer: 'sidebar' | 'panel' | undefined): void {
  const opener = useRef<Element>(null);
  useLayoutEffect(() => {
    if (drawer) {
      opener.current ??= document.activeElement;
      document.querySelector<HTMLElement>(`.${drawer} .bar button`)?.focus();
    } else {
      if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
      opener.current = null;
    }
  }, [drawer]);
}
