import { newMessage, type Answer, type ClientRequest, type Journal, type Turn } from '#contracts';
import type { Bus } from '#messaging';
import type { Store } from '#store';
import { answerTo, endingStep, openCalls } from '#turn';
import type { User } from '../auth/user.js';
import type { Ownership } from '../conversations/ownership.js';
import { notFound, RequestError } from '../errors/request-error.js';

const MAX_INPUT_LENGTH = 65_536;

/** What a person answers to a waiting call: a row, given once, from any device. */
export class AnswerCalls {
  constructor(
    private readonly store: Store,
    private readonly bus: Bus,
    private readonly ownership: Ownership,
  ) {}

  async approve(user: User, request: ClientRequest<'tool_approval'>): Promise<void> {
    const { tool_call_id, decision } = request;
    const { turn, journal } = await this.readOpen(user, request);
    const isWaiting = openCalls(journal).some(
      ({ call }) => call.tool_call_id === tool_call_id && call.approval === 'required',
    );
    if (answerTo(journal, tool_call_id, 'approval')) throw alreadyAnswered();
    if (!isWaiting) throw notFound();
    const answer = newAnswer(turn, `${tool_call_id}:approval`, user);
    await this.insert({ ...answer, decision });
    this.bus.emit({
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
    const { tool_call_id, content } = request;
    if (JSON.stringify(content).length > MAX_INPUT_LENGTH)
      throw new RequestError('content_too_long', `An answer has at most ${MAX_INPUT_LENGTH} characters.`);
    const { turn, journal } = await this.readOpen(user, request);
    if (answerTo(journal, tool_call_id, 'input')) throw alreadyAnswered();
    const isOpen = openCalls(journal).some(({ call }) => call.tool_call_id === tool_call_id);
    if (!isOpen || !answerTo(journal, tool_call_id, 'question')) throw notFound();
    await this.insert({ ...newAnswer(turn, `${tool_call_id}:input`, user), content });
    await this.hint(turn);
  }

  private async readOpen(
    user: User,
    { turn_id }: { turn_id: string },
  ): Promise<{ turn: Turn; journal: Journal }> {
    const turn = await this.ownership.turn(user, turn_id);
    const journal = await this.store.readJournal(turn._id);
    if (!journal || endingStep(journal)) throw notFound();
    return { turn, journal };
  }

  private async insert(answer: Answer): Promise<void> {
    const { won } = await this.store.answer(answer);
    if (!won) throw alreadyAnswered();
  }

  /** Best effort: the answer is a row, the sweeper finds it. */
  private async hint({ _id, conversation_id }: Turn): Promise<void> {
    await this.bus.publish('turns', newMessage('turn.advance', { turn_id: _id, conversation_id }));
  }
}

function newAnswer({ _id, conversation_id }: Turn, answerId: string, user: User): Answer {
  return { _id: answerId, turn_id: _id, conversation_id, by: user.id, at: new Date().toISOString() };
}

function alreadyAnswered(): RequestError {
  return new RequestError('already_answered', 'Somebody has answered this already.');
}
