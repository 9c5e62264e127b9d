import { useCallback, useState, useSyncExternalStore } from 'react';
import { deviceStorage } from '../state/device-storage.js';

const NARROW = '(max-width: 720px)';
const TOUCH = '(pointer: coarse)';
const ROOM_FOR_PANEL = '(min-width: 1100px)';

type Side = 'sidebar' | 'panel';

export interface Layout {
  isSidebarShown: boolean;
  isPanelShown: boolean;
  /** The open side covers the thread. */
  drawer: Side | undefined;
  show: (side: Side, isShown: boolean) => void;
}

/**
 * The sides that are shown. The choice is stored on this device if there is room for them; otherwise they are drawers.
 */
export function useLayout(isEmptyPage: boolean): Layout {
  const isNarrow = useIsNarrow();
  const hasRoom = useMedia(ROOM_FOR_PANEL);
  const [drawer, setDrawer] = useState<Side>();
  const [sidebar, setSidebar] = useState(() => readChoice('sidebar'));
  const [panel, setPanel] = useState(() => readChoice('panel'));
  const isSidebarDrawer = isNarrow;
  const isPanelDrawer = !hasRoom;
  const openDrawer =
    (drawer === 'sidebar' && isSidebarDrawer) || (drawer === 'panel' && isPanelDrawer) ? drawer : undefined;
  const show = useCallback(
    (side: Side, isShown: boolean) => {
      if (side === 'sidebar' ? isSidebarDrawer : isPanelDrawer) return setDrawer(isShown ? side : undefined);
      deviceStorage.set(`switchyard.${side}`, isShown ? 'shown' : 'hidden');
      (side === 'sidebar' ? setSidebar : setPanel)(isShown);
    },
    [isSidebarDrawer, isPanelDrawer],
  );
  return {
    isSidebarShown: isSidebarDrawer ? openDrawer === 'sidebar' : (sidebar ?? true),
    isPanelShown: isPanelDrawer ? openDrawer === 'panel' : (panel ?? !isEmptyPage),
    drawer: openDrawer,
    show,
  };
}

function readChoice(side: Side): boolean | undefined {
  const kept = deviceStorage.get(`switchyard.${side}`);
  return kept === null ? undefined : kept === 'shown';
}

/** True where fingers type: Enter there begins a line, and the keyboard would cover the page. */
export const useIsTouch = (): boolean => useMedia(TOUCH);

export const isTouch = (): boolean => matchMedia(TOUCH).matches;

/** True where there is room for one column only. */
export const useIsNarrow = (): boolean => useMedia(NARROW);

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
