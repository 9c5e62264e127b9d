import { LRUCache } from 'lru-cache';
import type { ApprovalRequest, Journal } from '#contracts';
import type { ActionLog } from '#journal';
import { OneByOne } from '#limits';
import type { Store } from '#store';
import { FreshReads, yieldToEventLoop, type Clock } from '#time';
import { answerTo, approvalExpiry, endingStep, openCalls, cutVisibleJson, toVisibleText } from '#turn';
import type { User } from '../people/auth/user.js';
import type { Roles } from '../people/roles.js';

/** Requests that are looked at for one list; the newest wait until earlier ones are answered. */
const MAX_REQUESTS = 200;
/** Even without its content a turn may be large. */
const TURNS_AT_ONCE = 2;
const FRESH = { freshMs: 1_000, maxRemembered: 1 };
const EVERYBODY = '';
const MAX_ARGUMENTS = 20_000;
const MAX_SHOWN = 10_000;

/** A call that waits for approval by somebody else than its user: all that such a person sees of the conversation. */
export interface WaitingApproval {
  turn_id: string;
  tool_call_id: string;
  tool_name: string;
  display_name: string;
  /** JSON in which nothing is invisible; cut after 20,000 characters, which it says. */
  arguments: string;
  /** One of these roles is required to answer. */
  approvers: string[];
  /** The user of the turn: id, and name where there are accounts. */
  user_id: string;
  username?: string;
  asked_at: string;
  expires_at: string;
}

export interface ApprovalsDeps {
  store: Pick<Store, 'listApprovalRequests' | 'readOutlines' | 'removeApprovalRequests'>;
  clock: Clock;
  roles: Pick<Roles, 'of'>;
  actions: Pick<ActionLog, 'note'>;
  /** Undefined where there are no accounts. */
  nameOf(userId: string): Promise<string | undefined>;
}

/** Calls of others that a user may approve. */
export class Approvals {
  private readonly lines = new OneByOne();
  private readonly lists: FreshReads<WaitingApproval[]>;
  /** Who was shown which call, so that each showing is audited once. */
  private readonly shown = new LRUCache<string, true>({ max: MAX_SHOWN });

  constructor(private readonly deps: ApprovalsDeps) {
    this.lists = new FreshReads(deps.clock, FRESH);
  }

  /** Oldest first. Not of the user's own turns. Who sees what is audited. */
  async list(user: User): Promise<WaitingApproval[]> {
    const roles = await this.deps.roles.of(user);
    if (roles.length === 0) return [];
    const all = await this.lists.get('', () => this.lines.run(EVERYBODY, () => this.readList()));
    const own = all.filter(
      ({ approvers, user_id }) => user_id !== user.id && approvers.some((role) => roles.includes(role)),
    );
    for (const one of own) this.noteShown(user, one);
    return own;
  }

  /** The next list is read anew: somebody has answered. */
  forget(): void {
    this.lists.forget('');
  }

  private async readList(): Promise<WaitingApproval[]> {
    const { store, clock } = this.deps;
    const requests = await store.listApprovalRequests(MAX_REQUESTS);
    const waiting: WaitingApproval[] = [];
    for (let from = 0; from < requests.length; from += TURNS_AT_ONCE) {
      const some = requests.slice(from, from + TURNS_AT_ONCE);
      const journals = await store.readOutlines([...new Set(some.map(({ turn_id }) => turn_id))]);
      await yieldToEventLoop(clock);
      waiting.push(...(await this.waitingAmong(some, journals)));
    }
    return waiting;
  }

  /** Requests whose call no longer waits are removed. */
  private async waitingAmong(
    requests: readonly ApprovalRequest[],
    journals: readonly Journal[],
  ): Promise<WaitingApproval[]> {
    const found = await Promise.all(
      requests.map(async (request) => {
        const journal = journals.find(({ turn }) => turn._id === request.turn_id);
        return journal ? this.describe(request, journal) : undefined;
      }),
    );
    const over = requests.filter((_, i) => found[i] === undefined).map(({ _id }) => _id);
    if (over.length > 0) await this.deps.store.removeApprovalRequests(over);
    return found.filter((one) => one !== undefined);
  }

  private async describe(
    { _id, turn_id, approvers }: ApprovalRequest,
    journal: Journal,
  ): Promise<WaitingApproval | undefined> {
    if (endingStep(journal) || answerTo(journal, _id, 'approval')) return undefined;
    const open = openCalls(journal).find(({ call }) => call.tool_call_id === _id);
    if (open?.call.approval !== 'required') return undefined;
    const { tool_name, display_name, arguments: args } = open.call;
    const { user_id } = journal.turn;
    return {
      turn_id,
      tool_call_id: _id,
      tool_name,
      display_name: toVisibleText(display_name),
      arguments: cutVisibleJson(args, MAX_ARGUMENTS),
      approvers,
      user_id,
      username: await this.deps.nameOf(user_id),
      asked_at: open.step.at,
      expires_at: approvalExpiry(open.step, open.call),
    };
  }

  private noteShown(user: User, { turn_id, tool_call_id, tool_name }: WaitingApproval): void {
    const key = JSON.stringify([user.id, tool_call_id]);
    if (this.shown.has(key)) return;
    this.shown.set(key, true);
    const about = { turn_id, tool_call_id, tool: tool_name };
    this.deps.actions.note({ audit: 'approval_shown', user_id: user.id, ...about });
  }
}
