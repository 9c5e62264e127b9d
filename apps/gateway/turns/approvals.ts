import { LRUCache } from 'lru-cache';
import type { ApprovalRequest, Journal } from '#contracts';
import type { ActionLog } from '#journal';
import { OneByOne } from '#limits';
import type { Store } from '#store';
import { FreshReads, yieldToEventLoop, type Clock } from '#time';
import { answerTo, approvalExpiry, endingStep, openCalls, cutVisibleJson, toVisibleText } from '#turn';
import type { User } from '../people/auth/user.js';
import type { Roles } from '../people/roles.js';

/** Far more than people answer; the newest wait until earlier ones are answered. */
const MAX_REQUESTS = 10_000;
/** Of these, one list shows the oldest ones, of each user in turn. */
const MAX_LISTED = 100;
/** Even without its content a turn may be large. */
const TURNS_AT_ONCE = 2;
const FRESH_MS = 1_000;
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
  private readonly requests: FreshReads<ApprovalRequest[]>;
  /** By call; undefined: it no longer waits. */
  private readonly known: FreshReads<WaitingApproval | undefined>;
  /** Who was shown which call, so that each showing is audited once. */
  private readonly shown = new LRUCache<string, true>({ max: MAX_SHOWN });

  constructor(private readonly deps: ApprovalsDeps) {
    this.requests = new FreshReads(deps.clock, { freshMs: FRESH_MS, maxRemembered: 1 });
    this.known = new FreshReads(deps.clock, { freshMs: FRESH_MS, maxRemembered: MAX_REQUESTS });
  }

  /** Not of the user's own turns. Who sees what is audited. */
  async list(user: User): Promise<WaitingApproval[]> {
    const roles = await this.deps.roles.of(user);
    if (roles.length === 0) return [];
    const { store } = this.deps;
    const all = await this.requests.get('', () => store.listApprovalRequests(MAX_REQUESTS));
    const own = all.filter(
      ({ approvers, user_id }) => user_id !== user.id && approvers.some((role) => roles.includes(role)),
    );
    const waiting = await this.lines.run(EVERYBODY, () =>
      this.describeAll(eachInTurn(own).slice(0, MAX_LISTED)),
    );
    for (const one of waiting) this.noteShown(user, one);
    return waiting;
  }

  /** Somebody has answered it. */
  forget(toolCallId: string): void {
    this.requests.forget('');
    this.known.forget(toolCallId);
  }

  private async describeAll(requests: readonly ApprovalRequest[]): Promise<WaitingApproval[]> {
    const { store, clock } = this.deps;
    const waiting: WaitingApproval[] = [];
    const over: string[] = [];
    for (let from = 0; from < requests.length; from += TURNS_AT_ONCE) {
      const some = requests.slice(from, from + TURNS_AT_ONCE);
      const found = await Promise.all(
        some.map((request) => this.known.get(request._id, () => this.read(request))),
      );
      await yieldToEventLoop(clock);
      found.forEach((one, i) => (one ? waiting.push(one) : over.push(some[i]!._id)));
    }
    if (over.length > 0) await store.removeApprovalRequests(over);
    return waiting;
  }

  private async read(request: ApprovalRequest): Promise<WaitingApproval | undefined> {
    const [journal] = await this.deps.store.readOutlines([request.turn_id]);
    return journal && this.describe(request, journal);
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

/** The first of each user, then the second of each: many calls of one user do not hide another's. */
function eachInTurn(requests: readonly ApprovalRequest[]): ApprovalRequest[] {
  const counts = new Map<string, number>();
  const ranked = requests.map((request) => {
    const rank = counts.get(request.user_id) ?? 0;
    counts.set(request.user_id, rank + 1);
    return { request, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ request }) => request);
}
