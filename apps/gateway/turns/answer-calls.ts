import {
  controlKey,
  newMessage,
  turnHint,
  questionSchemaSchema,
  type Answer,
  type ClientRequest,
  type Journal,
  type Turn,
} from '#contracts';
import { carryOut, type Ports } from '#journal';
import {
  answerTo,
  checkAnswer,
  endingStep,
  expiredApproval,
  holderOf,
  inputId,
  lastQuestion,
  openCalls,
  type OpenCall,
} from '#turn';
import { timestampOf, type Clock } from '#time';
import type { User } from '../people/auth/user.js';
import { isNotFound, notFound, RequestError } from '../errors/request-error.js';
import { findCall, type OtherApprovers } from './other-approvers.js';
import type { Ownership } from './ownership.js';

const MAX_INPUT_LENGTH = 65_536;
const CONNECT_INSTEAD =
  'This is answered by connecting an account, on the page: see `POST /api/connections/:id/start`.';
/** Problems that one refusal names. */
const MAX_PROBLEMS = 5;
const MAX_REFUSAL_LENGTH = 1_000;
/** When the sweeper first checks a turn whose answer could not be announced. */
const FIRST_CHECK_MS = 5_000;

type GivenInput = { action: 'decline' } | { action: 'accept'; content: Record<string, unknown> };

/** A person's answer to a waiting call: one row, given once, from any device. */
export class AnswerCalls {
  constructor(
    private readonly ports: Ports,
    private readonly ownership: Ownership,
    private readonly others: OtherApprovers,
  ) {}

  async approve(user: User, request: ClientRequest<'tool_approval'>): Promise<void> {
    const { tool_call_id, decision } = request;
    const { turn, journal, isOther } = await this.readForApproval(user, request);
    // Comes first: an earlier answer may have ended the call, and the turn with it.
    const given = answerTo(journal, tool_call_id, 'approval');
    if (given) throw given.decision === 'expired' ? tooLate() : alreadyAnswered();
    const open = findOpen(journal, tool_call_id);
    if (open?.call.approval !== 'required') throw notFound();
    if (await this.expire(journal, open)) throw tooLate();
    const answer = newAnswer(this.ports.clock, turn, `${tool_call_id}:approval`, user);
    await this.makeMoving(turn);
    await this.insert({ ...answer, decision });
    if (isOther) await this.others.noteAnswer(user, turn, open.call, decision);
    this.ports.bus.emit({
      type: 'approval_answered',
      conversation_id: turn.conversation_id,
      turn_id: turn._id,
      timestamp: answer.at,
      tool_call_id,
      by: user.id,
      decision,
    });
    await this.hint(turn);
  }

  async input(user: User, request: ClientRequest<'input'>): Promise<void> {
    const { content, action = 'accept' } = request;
    if (JSON.stringify(content ?? {}).length > MAX_INPUT_LENGTH)
      throw new RequestError('content_too_long', `An answer has at most ${MAX_INPUT_LENGTH} characters.`);
    await this.answerQuestion(user, request, (question) => {
      if (action === 'decline') return { action };
      if (question.connection !== undefined) throw new RequestError('invalid', CONNECT_INSTEAD);
      return { action, content: fitting(question, content) };
    });
  }

  /** The user has given access to an account, which the question asked for. */
  async connected(
    user: Pick<User, 'id'>,
    { connection, ...request }: { turn_id: string; tool_call_id: string; connection: string },
  ): Promise<void> {
    await this.answerQuestion(user, request, (question) => {
      if (question.connection !== connection) throw alreadyAnswered();
      return { action: 'accept', content: {} };
    });
  }

  /** @param answerOf throws to leave the question open */
  private async answerQuestion(
    user: Pick<User, 'id'>,
    request: Pick<ClientRequest<'input'>, 'turn_id' | 'tool_call_id' | 'number'>,
    answerOf: (question: NonNullable<Answer['question']>) => GivenInput,
  ): Promise<void> {
    const { tool_call_id } = request;
    const { turn, journal } = await this.read(user, request);
    const asked = lastQuestion(journal, tool_call_id);
    if (!asked || (request.number ?? 1) > asked.number) throw notFound();
    const { number = asked.number } = request;
    // A question that is not the last one is over, whether or not it was answered.
    if (number < asked.number || asked.input) throw alreadyAnswered();
    if (!findOpen(journal, tool_call_id)) throw notFound();
    const given = answerOf(asked.question);
    const answer = newAnswer(this.ports.clock, turn, inputId(tool_call_id, 'input', number), user);
    await this.makeMoving(turn);
    await this.insert({ ...answer, ...given });
    const place = { conversation_id: turn.conversation_id, turn_id: turn._id, timestamp: answer.at };
    this.ports.bus.emit({
      type: 'input_answered',
      ...place,
      tool_call_id,
      number,
      by: user.id,
      action: given.action,
    });
    await Promise.all([this.notifyOwner(journal, tool_call_id), this.hint(turn)]);
  }

  /** Of the user's own turn, or of another user's whose call this user may approve. */
  private async readForApproval(
    user: User,
    request: ClientRequest<'tool_approval'>,
  ): Promise<{ turn: Turn; journal: Journal; isOther: boolean }> {
    const own = await this.read(user, request).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!own) {
      const journal = await this.others.read(user, request);
      return { turn: journal.turn, journal, isOther: true };
    }
    this.others.refuseOwn(findCall(own.journal, request.tool_call_id) ?? {});
    return { ...own, isOther: false };
  }

  /** True when the time for an approval has passed. No process has checked its turn since, so it is expired here. */
  private async expire(journal: Journal, open: OpenCall): Promise<boolean> {
    const answer = expiredApproval(open.step, open.call, this.ports.clock.wall());
    if (!answer) return false;
    await carryOut(this.ports, journal, { ...open, action: { do: 'expire', answer } });
    await this.hint(journal.turn);
    return true;
  }

  private async read(
    user: Pick<User, 'id'>,
    { turn_id }: { turn_id: string },
  ): Promise<{ turn: Turn; journal: Journal }> {
    const turn = await this.ownership.turn(user, turn_id);
    const journal = await this.ports.store.readJournal(turn._id);
    if (!journal) throw notFound();
    return { turn, journal };
  }

  /**
   * From now on the sweeper treats the turn as running: an answer whose hint is lost must not wait among the turns that
   * wait for people. This changes only caches, before the answer. If this process dies in between, they are corrected.
   */
  private async makeMoving({ _id, status }: Turn): Promise<void> {
    if (status !== 'awaiting_input') return;
    const { store, clock } = this.ports;
    await Promise.all([
      store.setTurnStatus(_id, 'running'),
      store.setTurnDue(_id, clock.wall() + FIRST_CHECK_MS),
    ]);
  }

  private async insert(answer: Answer): Promise<void> {
    const { won } = await this.ports.store.answer(answer);
    if (!won) throw alreadyAnswered();
  }

  /** Best effort: the worker also checks for the row periodically. */
  private async notifyOwner(journal: Journal, tool_call_id: string): Promise<void> {
    const owner = holderOf(journal, tool_call_id)?.owner;
    if (!owner) return;
    const message = newMessage(this.ports, 'tool.answered', { tool_call_id, turn_id: journal.turn._id });
    await this.ports.bus.send(controlKey(owner), message).catch(() => undefined);
  }

  /**
   * Best effort: the answer is a row that the sweeper finds. It rarely checks turns that wait for people. Whoever has
   * answered must not be told of a failure: the same answer once more would be refused as the second one.
   */
  private async hint(turn: Turn): Promise<void> {
    const { bus, store, clock, log } = this.ports;
    try {
      if ((await bus.publish('turns', turnHint(this.ports, turn))) !== 'confirmed')
        await store.setTurnDue(turn._id, clock.wall() + FIRST_CHECK_MS);
    } catch (error) {
      log.warn({ err: error, turn_id: turn._id }, 'an answer was not announced; the sweeper will find it');
    }
  }
}

/** A call that can still be answered. */
function findOpen(journal: Journal, toolCallId: string): OpenCall | undefined {
  if (endingStep(journal)) return undefined;
  return openCalls(journal).find(({ call }) => call.tool_call_id === toolCallId);
}

/** The person's input if it is valid; otherwise the question stays open. */
function fitting(
  { schema }: NonNullable<Answer['question']>,
  content: Record<string, unknown> | undefined,
): Record<string, unknown> {
  if (content === undefined) throw new RequestError('invalid', 'content: is required unless you decline');
  const problems = checkAnswer(questionSchemaSchema.parse(schema), content);
  if (problems.length === 0) return content;
  const shown = problems.slice(0, MAX_PROBLEMS).map(({ field, problem }) => `${field}: ${problem}`);
  throw new RequestError('invalid', `content: ${shown.join('; ')}`.slice(0, MAX_REFUSAL_LENGTH));
}

function newAnswer(
  clock: Clock,
  { _id, conversation_id }: Turn,
  answerId: string,
  user: Pick<User, 'id'>,
): Answer {
  return { _id: answerId, turn_id: _id, conversation_id, by: user.id, at: timestampOf(clock) };
}

function tooLate(): RequestError {
  return new RequestError('already_answered', 'The time to answer has passed, so the call was not run.');
}

function alreadyAnswered(): RequestError {
  return new RequestError('already_answered', 'Someone has already answered this.');
}
