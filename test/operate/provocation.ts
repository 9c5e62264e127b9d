import type { Site } from './site.js';

export interface ExpectedAlert {
  alert: string;
  /** Among the labels of the alert. */
  labels?: Record<string, string>;
}

/** Does what the runbooks of the alerts say. Its result takes back, after the alerts, what is needed no longer. */
export type Mend = () => Promise<void | (() => Promise<unknown>)>;

/** Trouble that must fire alerts, until it is mended. */
export interface Provocation {
  says: string;
  fires: ExpectedAlert[];
  provoke(site: Site): Promise<Mend>;
}

/** Does it again and again until the returned function is called. */
export function keepDoing(action: () => Promise<unknown>): () => Promise<void> {
  let isOver = false;
  const doing = (async () => {
    while (!isOver) await action();
  })();
  // Told to the one who ends it.
  doing.catch(() => undefined);
  return () => {
    isOver = true;
    return doing;
  };
}
