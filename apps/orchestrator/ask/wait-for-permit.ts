import { ModelError, type ModelRequest } from '#llm';
import type { Clock } from '#time';
import type { Permit } from '../admission/model-admission.js';
import type { ShortOf, Shortage } from '../admission/shared-budget.js';
import type { StepPart } from './step-part.js';

/** Above this wait, asking another model is worth losing the prompt cache of the current one. */
export const PATIENCE_MS = 2_000;

const WAITS_FOR: Record<Wait['shortOf'], string> = {
  requests: 'The request budget of the model is used up right now.',
  tokens: 'The token budget of the model is used up right now.',
  streams: 'The limit of concurrent answers is reached.',
  provider: 'The model’s provider wants fewer requests.',
  user_budget:
    'Your other answers have reserved the rest of your budget for today. This one continues after them.',
};

export type Wait = Omit<Shortage, 'shortOf'> & { shortOf: ShortOf | 'user_budget' };

/** Decides when a request may be sent to a provider. */
export interface Admission {
  /** Rejects with the signal's reason, or a `ModelError` if the request may not be sent at all. */
  admit(request: ModelRequest, how: { signal: AbortSignal; onWait: (wait: Wait) => void }): Promise<Permit>;
  /** The provider is limiting requests: send none for this long. */
  slowDown(model: string, retryAfterMs: number): void;
}

/** The shared budget of a model has no room, but another model can be asked. */
export class NoBudgetError extends ModelError {
  constructor(reason: string) {
    super(reason, 'overloaded', { retryable: true });
  }
}

/** Waits until the request may be sent. If another model can be asked, a longer wait counts as overload. */
export async function* waitForPermit(
  request: ModelRequest,
  { admission, clock, canGiveUp }: { admission: Admission; clock: Clock; canGiveUp: boolean },
  signal: AbortSignal,
): AsyncGenerator<StepPart, Permit> {
  const impatience = new AbortController();
  try {
    return yield* pushedDuring((push) =>
      admission.admit(request, {
        signal: AbortSignal.any([signal, impatience.signal]),
        onWait: ({ shortOf, waitMs }) => {
          const reason = WAITS_FOR[shortOf];
          // Deferred, because the admission is iterating over its waiting requests.
          if (canGiveUp && waitMs > PATIENCE_MS)
            clock.soon(() => impatience.abort(new NoBudgetError(reason)));
          else push({ type: 'waiting', reason, retryAfterMs: waitMs });
        },
      }),
    );
  } finally {
    impatience.abort();
  }
}

/** Yields what `act` pushes while it runs; returns its result. */
async function* pushedDuring<T, R>(act: (push: (value: T) => void) => Promise<R>): AsyncGenerator<T, R> {
  const pushed: T[] = [];
  let isSettled = false;
  let wake = (): void => undefined;
  const result = act((value) => {
    pushed.push(value);
    wake();
  });
  const settle = () => {
    isSettled = true;
    wake();
  };
  result.then(settle, settle);
  for (;;) {
    while (pushed.length > 0) yield pushed.shift()!;
    if (isSettled) return result;
    await new Promise<void>((resolve) => (wake = resolve));
  }
}
