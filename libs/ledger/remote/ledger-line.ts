import { newMessage, type Body, type LedgerAnswered, type LedgerRequestType } from '#contracts';
import { ledgerQueueName, type Bus, type LedgerPurpose } from '#messaging';
import { backOffMs, type Time } from '#time';

/** A request that waits longer is repeated: its message, its server or the answer may be lost. */
const PATIENCE_MS = 1_000;
const PAUSES = { firstMs: 100, longestMs: 2_000 };

/** The ledger will never do this. Its text says why. */
export class LedgerRefusal extends Error {
  override name = 'LedgerRefusal';
}

export interface LedgerLineOptions extends Time {
  bus: Pick<Bus, 'publish' | 'send'>;
  group: string;
  /** This worker's id. */
  me: string;
  /** Once aborted, requests reject: other workers do what is left. */
  leaving: AbortSignal;
}

export interface Asking {
  purpose: LedgerPurpose;
  /** The control key of the orchestrator to ask first. */
  first?: string;
}

type Fields<T extends LedgerRequestType> = Omit<Body<T>, 'request_id' | 'worker'>;

/** Asks the ledger. A request is repeated with back-off, through every outage, until it is answered. */
export class LedgerLine {
  private readonly waiting = new Map<string, (answer: LedgerAnswered) => void>();

  constructor(private readonly options: LedgerLineOptions) {}

  /** An answer has arrived. */
  answered(answer: LedgerAnswered): void {
    this.waiting.get(answer.request_id)?.(answer);
  }

  /** Throws `LedgerRefusal`. */
  async ask<T extends LedgerRequestType>(
    type: T,
    fields: Fields<T>,
    { purpose, first }: Asking,
  ): Promise<LedgerAnswered> {
    const { random, leaving, me: worker } = this.options;
    const request_id = random.id();
    const body = { ...fields, request_id, worker } as unknown as Body<T>;
    const answer = new Promise<LedgerAnswered>((resolve) => this.waiting.set(request_id, resolve));
    try {
      let key = first;
      for (let failures = 0; ;) {
        leaving.throwIfAborted();
        const sent = await this.send(key, purpose, newMessage(this.options, type, body));
        const isReturned = key !== undefined && sent === 'returned';
        key = undefined;
        if (isReturned) continue;
        const given = await this.within(answer, PATIENCE_MS + backOffMs(failures++, PAUSES, random));
        if (given?.refused !== undefined) throw new LedgerRefusal(given.refused);
        if (given) return given;
      }
    } finally {
      this.waiting.delete(request_id);
    }
  }

  /** Needs no answer. */
  tell<T extends LedgerRequestType>(
    type: T,
    fields: Omit<Body<T>, 'worker'>,
    { purpose, first }: Asking,
  ): void {
    const body = { ...fields, worker: this.options.me } as unknown as Body<T>;
    void this.send(first, purpose, newMessage(this.options, type, body));
  }

  private send(key: string | undefined, purpose: LedgerPurpose, message: ReturnType<typeof newMessage>) {
    const { bus, group } = this.options;
    return key === undefined ? bus.publish(ledgerQueueName(group, purpose), message) : bus.send(key, message);
  }

  private async within(
    answer: Promise<LedgerAnswered>,
    patienceMs: number,
  ): Promise<LedgerAnswered | undefined> {
    const { clock, leaving } = this.options;
    return new Promise((resolve, reject) => {
      const timer = clock.after(patienceMs, () => end(undefined));
      const onLeave = (): void => {
        timer.cancel();
        reject(leaving.reason as Error);
      };
      const end = (given: LedgerAnswered | undefined): void => {
        timer.cancel();
        leaving.removeEventListener('abort', onLeave);
        resolve(given);
      };
      leaving.addEventListener('abort', onLeave, { once: true });
      void answer.then(end);
    });
  }
}
