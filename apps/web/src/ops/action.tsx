import { useState } from 'react';
import { HttpError } from '../connection/http.js';

/** One request at a time, and why it failed. */
export function useAction<T>(act: () => Promise<T>, onDone: (answer: T) => void) {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const run = () => {
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    act()
      .then(onDone, (error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  return { problem, isBusy, run, forget: () => setProblem(undefined) };
}

export function Problem({ words }: { words: string | undefined }) {
  if (words === undefined) return null;
  return (
    <p className="menu-text ops-problem" role="alert">
      {words}
    </p>
  );
}

function problemOf(error: unknown): string {
  return error instanceof HttpError ? error.message : 'The answer could not be read.';
}
