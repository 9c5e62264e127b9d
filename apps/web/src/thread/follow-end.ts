import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance, the reader counts as being at the end. */
const END_PX = 48;

/**
 * Keeps the end visible while the reader is there, and otherwise does not scroll. Content added at the front
 * (`firstKey` changes) does not move the text that is being read.
 */
export function useFollowEnd(
  thread: RefObject<HTMLElement | null>,
  place: string,
  firstKey: string | undefined,
) {
  const isFollowing = useRef(true);
  const [isAway, setAway] = useState(false);
  const heightFromEnd = useRef(0);

  const goToEnd = useCallback(() => {
    const element = thread.current;
    if (!element) return;
    isFollowing.current = true;
    setAway(false);
    element.scrollTop = element.scrollHeight;
  }, [thread]);

  useLayoutEffect(goToEnd, [goToEnd, place]);

  useLayoutEffect(() => {
    const element = thread.current;
    if (element && !isFollowing.current) element.scrollTop = element.scrollHeight - heightFromEnd.current;
  }, [thread, firstKey]);

  useEffect(() => {
    const element = thread.current;
    const content = element?.firstElementChild;
    if (!element || !content) return;
    let lastTop = element.scrollTop;
    const onScroll = () => {
      const distance = element.scrollHeight - element.scrollTop - element.clientHeight;
      // The event comes a frame later. Text that has arrived meanwhile does not mean that the reader has left the end.
      if (distance < END_PX) isFollowing.current = true;
      else if (element.scrollTop < lastTop) isFollowing.current = false;
      lastTop = element.scrollTop;
      heightFromEnd.current = element.scrollHeight - element.scrollTop;
      setAway(!isFollowing.current);
    };
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
      else heightFromEnd.current = element.scrollHeight - element.scrollTop;
    });
    observer.observe(content);
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [thread, place]);

  return { isAway, goToEnd };
}
