import { useEffect, useState } from 'react';
import type { TurnView } from '#contracts';
import { waitsForPerson } from '../conversation/conversations.js';

/** Names the conversation in the browser's tab, and says there what somebody who looks elsewhere would miss. */
export function usePageTitle(title: string | undefined, active: TurnView | undefined): void {
  const isReady = useIsReadyUnseen(active?.turn_id);
  const news = waitsForPerson(active) ? 'Needs you' : isReady ? 'Answer ready' : undefined;
  useEffect(() => {
    document.title = [news, title, 'Switchyard'].filter(Boolean).join(' · ');
  }, [news, title]);
}

/** True from the end of a turn that nobody looked at until somebody looks. */
function useIsReadyUnseen(activeId: string | undefined): boolean {
  const [isReady, setReady] = useState(false);
  const [before, setBefore] = useState(activeId);
  if (before !== activeId) {
    setBefore(activeId);
    setReady(before !== undefined && activeId === undefined && document.hidden);
  }
  useEffect(() => {
    const onChange = () => !document.hidden && setReady(false);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return isReady;
}
