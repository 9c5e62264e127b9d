import { newMessage, type Body, type LedgerAnswered, type LedgerRequestType } from '#contracts';
import { ledgerQueueName, type Bus, type LedgerPurpose } from '#messaging';
import { StoreUnavailableError } from '#store';
import { backOffMs, type Time } from '#time';

/** A request that waits longer is repeated: its message, its server or the answer may be lost. */
const PATIENCE_MS = 1_000;
const LEFT = 'the worker left before the ledger answered';
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
  /** Once aborted, requests reject with `StoreUnavailableError`: other workers do what is left. */
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
  private readonly waiting = new Map<string, (answer: LedgerAnswered | 'left') => void>();

  constructor(private readonly options: LedgerLineOptions) {
    const { leaving } = options;
    const leave = (): void => this.waiting.forEach((settle) => settle('left'));
    leaving.addEventListener('abort', leave, { once: true });
  }

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
    const answer = new Promise<LedgerAnswered | 'left'>((resolve) => this.waiting.set(request_id, resolve));
    try {
      let key = first;
      for (let failures = 0; ;) {
        if (leaving.aborted) throw new StoreUnavailableError(LEFT);
        const sent = await this.send(key, purpose, newMessage(this.options, type, body));
        const isReturned = key !== undefined && sent === 'returned';
        key = undefined;
        if (isReturned) continue;
        const given = await this.within(answer, PATIENCE_MS + backOffMs(failures++, PAUSES, random));
        if (given === 'left') throw new StoreUnavailableError(LEFT);
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

  private within<T>(answer: Promise<T>, patienceMs: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const timer = this.options.clock.after(patienceMs, () => resolve(undefined));
      void answer.then((given) => {
        timer.cancel();
        resolve(given);
      });
    });
  }
}
