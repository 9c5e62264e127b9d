import type { FleetState, ListedLetter, ListedSwitch, ListedTurn, TurnTimeline } from '#contracts';
import { HttpError } from '../connection/http.js';
import { Observable } from '../state/observable.js';
import { Beats } from './beats.js';
import type { AllUsage, ListedAccount, ModelUsage, OperatorApi, UserUsage } from './operator-api.js';
import { QueueHistory } from './queue-history.js';

export const EVERY_MS = 2_000;
/** What costs more to read, or changes less often, is read in every n-th round. */
const TURNS_EVERY = 3;
const ACCOUNTS_EVERY = 30;

export interface Chosen {
  id: string;
  turn?: TurnTimeline;
  problem?: string;
}

export interface Watched {
  fleet?: FleetState;
  switches?: ListedSwitch[];
  turns?: ListedTurn[];
  letters?: ListedLetter[];
  usage?: AllUsage<UserUsage>;
  models?: AllUsage<ModelUsage>;
  accounts?: ListedAccount[];
  chosen?: Chosen;
  /** The last round failed, and everything else is older. */
  problem?: string;
  /** The server says that this user may not see it. */
  refusal?: 'forbidden' | 'unauthorized';
}

export interface WatchDeps {
  api: Pick<
    OperatorApi,
    'status' | 'switches' | 'turns' | 'letters' | 'timeline' | 'usage' | 'models' | 'accounts'
  >;
  /** Accounts exist only with `AUTH=local`. */
  hasAccounts: boolean;
  isHidden: () => boolean;
  later: (ms: number, run: () => void) => () => void;
}

/** Reads what the page shows, round after round: one request at a time, and none while the page is hidden. */
export class FleetWatch {
  readonly state = new Observable<Watched>({});
  readonly history = new QueueHistory();
  readonly beats = new Beats();
  private round = 0;
  private isReading = false;
  private isClosed = false;
  /** Asked for while a round was being read. */
  private isWanted = false;
  private cancel = (): void => {};

  constructor(private readonly deps: WatchDeps) {}

  open(): void {
    this.isClosed = false;
    this.wake();
  }

  /** Reads everything now, or right after the round that is being read. */
  refresh(): void {
    this.round = 0;
    this.wake();
  }

  /** The next round starts now, unless one is being read. */
  wake(): void {
    this.isWanted = true;
    this.cancel();
    if (!this.isReading) void this.go();
  }

  close(): void {
    this.isClosed = true;
    this.cancel();
  }

  choose(id: string | undefined): void {
    if (id === this.state.get().chosen?.id) return;
    this.set({ chosen: id === undefined ? undefined : { id } });
    if (id !== undefined) this.wake();
  }

  private async go(): Promise<void> {
    this.isReading = true;
    while (this.isWanted && !this.isClosed && !this.deps.isHidden() && !this.state.get().refusal) {
      this.isWanted = false;
      await this.read();
    }
    this.isReading = false;
    if (this.isClosed || this.deps.isHidden() || this.state.get().refusal) return;
    this.cancel = this.deps.later(EVERY_MS, () => this.wake());
  }

  private async read(): Promise<void> {
    const { api } = this.deps;
    const round = this.round++;
    try {
      const fleet = await api.status();
      this.history.add(fleet);
      this.beats.add(fleet);
      this.set({ fleet, switches: (await api.switches()).switches });
      await this.readChosen();
      if (round % TURNS_EVERY === 0) {
        this.set({ letters: await api.letters() });
        this.set({ turns: await api.turns() });
      }
      if (round % ACCOUNTS_EVERY === 0) await this.readAccounts();
      this.set({ problem: undefined });
    } catch (error) {
      this.failed(error, round);
    }
  }

  private async readChosen(): Promise<void> {
    const id = this.state.get().chosen?.id;
    if (id === undefined) return;
    let chosen: Chosen;
    try {
      chosen = { id, turn: await this.deps.api.timeline(id) };
    } catch (error) {
      if (!(error instanceof HttpError) || error.status !== 404) throw error;
      chosen = { id, problem: 'There is no turn with this id.' };
    }
    // Another one may have been chosen meanwhile.
    if (this.state.get().chosen?.id === id) this.set({ chosen });
  }

  private async readAccounts(): Promise<void> {
    const { api, hasAccounts } = this.deps;
    this.set({ usage: await api.usage() });
    this.set({ models: await api.models() });
    if (hasAccounts) this.set({ accounts: await api.accounts() });
  }

  private failed(error: unknown, round: number): void {
    const status = error instanceof HttpError ? error.status : undefined;
    if (status === 401) return this.set({ refusal: 'unauthorized' });
    if (status === 403) return this.set({ refusal: 'forbidden' });
    // What this round has not read is read in the next one.
    this.round = round;
    this.set({ problem: error instanceof HttpError ? error.message : 'The answer could not be read.' });
  }

  private set(change: Partial<Watched>): void {
    this.state.set({ ...this.state.get(), ...change });
  }
}
