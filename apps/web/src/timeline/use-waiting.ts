import { useEffect, useState } from 'react';
import type { Waiting } from '#contracts';
import { readWaiting } from '../connection/http.js';

/** Most calls start sooner, and then nobody needs to know why. */
const NOTICEABLE_WAIT_MS = 2_000;
const REPEAT_MS = 5_000;

/** Why the turn waits, asked for as long as `isWaiting`; undefined until it is known. */
export function useWaiting(turnId: string, isWaiting: boolean): Waiting | undefined {
  const [waiting, setWaiting] = useState<Waiting>();
  useEffect(() => {
    if (!isWaiting) return setWaiting(undefined);
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;
    const ask = async () => {
      // What is not known is not shown; the next question may be answered.
      const answer = document.hidden ? undefined : await readWaiting(turnId).catch(() => undefined);
      if (isOver) return;
      if (answer) setWaiting(answer.waiting ?? undefined);
      timer = setTimeout(() => void ask(), REPEAT_MS);
    };
    timer = setTimeout(() => void ask(), NOTICEABLE_WAIT_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [turnId, isWaiting]);
  return waiting;
}
