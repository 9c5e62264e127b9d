import { createHash } from 'node:crypto';
import type { Journal, Step } from '#contracts';
import { endingStep, turnViewOf } from '#turn';
import type { User } from '../../people/auth/user.js';
import type { Ownership } from '../../turns/ownership.js';
import { notFound, RequestError } from '../../errors/request-error.js';
import type { AnswerCalls } from '../../turns/answer-calls.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import type { DialectTurns, StartedTurn } from '../host/dialect-turns.js';
import { startAt, type NamedConversations, type NamedPlace } from '../identity/named-conversations.js';
import type { AgUiMessage, Interrupt } from './ag-ui-event.js';
import { interruptsOf, toCallAnswer, type CallAnswer } from './interrupts.js';
import type { AlreadySent } from './run-events.js';
import { hasNoHistory, type RunInput } from './run-input.js';
import { answersOf, questionOf } from './run-messages.js';

/** Turns of a thread that a client is told which knows none of them. */
const HISTORY_TURNS = 50;
/** A turn that has ended is looked for among these when its client comes with answers. */
const RECENT_TURNS = 20;

export interface StartedRun extends StartedTurn {
  alreadySent?: AlreadySent;
  /** Earlier messages of the thread that the client does not know. */
  earlier: AgUiMessage[];
  /** With them, what it knows. */
  known: AgUiMessage[];
}

interface Deps {
  turns: DialectTurns;
  reader: TurnReader;
  answers: AnswerCalls;
  ownership: Ownership;
  named: NamedConversations;
}

/** Runs of threads: what they are here. */
export class Runs {
  constructor(private readonly deps: Deps) {}

  /** Throws `RequestError`. The same run again is the same turn, told from its beginning. */
  async start(user: User, input: RunInput): Promise<StartedRun> {
    const { turns } = this.deps;
    const place = await this.deps.named.find(user, input.threadId);
    if (input.resume.length > 0) return this.resume(user, place, input);
    const { content, system, runId } = input;
    const client_message_id = `ag-ui-${createHash('sha256').update(runId).digest('base64url')}`;
    const options = system === '' ? {} : { options: { system } };
    const message = { content, client_message_id, ...options };
    const started = await startAt(turns, user, { place, message });
    const earlier = hasNoHistory(input) ? await this.history(started) : [];
    return { ...started, earlier, known: [...earlier, ...input.messages] };
  }

  /** What a person is asked, once nothing else happens in the turn. */
  async interrupts(turnId: string): Promise<Interrupt[]> {
    return interruptsOf(turnViewOf(await this.deps.reader.journalOfTurn(turnId)));
  }

  /** What the client knew when the run began, and what has come of the turn before this step. */
  async messages({ turn_id, known }: StartedRun, step: number): Promise<AgUiMessage[]> {
    const journal = await this.deps.reader.journalOfTurn(turn_id);
    const steps = journal.steps.filter(({ n }) => n < step);
    const fresh = answersOf({ ...journal, steps });
    const ids = new Set(fresh.map(({ id }) => id));
    return [...known.filter(({ id }) => !ids.has(id)), ...fresh];
  }

  private async resume(user: User, place: NamedPlace, input: RunInput): Promise<StartedRun> {
    const id = 'conversation_id' in place ? place.conversation_id : place.conversationId;
    const { resume, messages: known } = input;
    const answers = resume.map((entry) => {
      const answer = toCallAnswer(entry);
      if (answer) return answer;
      throw new RequestError('invalid', `resume: ${entry.interruptId}: this is no answer to it`);
    });
    await this.deps.ownership.conversation(user, id);
    const journal = await this.find(id, answers);
    if (!journal) throw notFound();
    const turn_id = journal.turn._id;
    // Of a turn that went on without this client the rest is told.
    if (!endingStep(journal)) for (const answer of answers) await this.answer(user, turn_id, answer);
    const sent = alreadySent(journal, answers);
    return { ...(await this.deps.turns.follow(user, turn_id)), alreadySent: sent, earlier: [], known };
  }

  /** The turn that has asked all of this. */
  private async find(conversationId: string, answers: CallAnswer[]): Promise<Journal | undefined> {
    const { reader } = this.deps;
    const asksAll = (journal: Journal) => answers.every(({ tool_call_id }) => stepOf(journal, tool_call_id));
    return (
      (await reader.unended(conversationId)).find(asksAll) ??
      (await reader.journalsBefore(conversationId, Number.MAX_SAFE_INTEGER, RECENT_TURNS)).find(asksAll)
    );
  }

  /** An answer that another client has given meanwhile stays. */
  private async answer(user: User, turn_id: string, answer: CallAnswer): Promise<void> {
    const { answers } = this.deps;
    const { tool_call_id } = answer;
    try {
      if (answer.kind === 'approval')
        return await answers.approve(user, { turn_id, tool_call_id, decision: answer.decision });
      const { number, content } = answer;
      const given = content === undefined ? { action: 'decline' as const } : { content };
      await answers.input(user, { turn_id, tool_call_id, number, ...given });
    } catch (error) {
      if (!(error instanceof RequestError) || error.code !== 'already_answered') throw error;
    }
  }

  private async history({ conversation_id, number, stream }: StartedTurn): Promise<AgUiMessage[]> {
    if (number === 1) return [];
    const { reader } = this.deps;
    const before = await reader
      .journalsBefore(conversation_id, number, HISTORY_TURNS)
      .catch((error: unknown) => {
        // No client will read it.
        stream.close();
        throw error;
      });
    return before.flatMap((journal) => [questionOf(journal.turn), ...answersOf(journal)]);
  }
}

function stepOf({ steps }: Journal, toolCallId: string): Step | undefined {
  return steps.find(({ calls }) => calls.some(({ tool_call_id }) => tool_call_id === toolCallId));
}

/** A run ends with a question when every call has ended but those that ask. */
function alreadySent(journal: Journal, answers: CallAnswer[]): AlreadySent {
  const asking = new Set(answers.map(({ tool_call_id }) => tool_call_id));
  const step = Math.max(...[...asking].map((id) => stepOf(journal, id)!.n));
  const ended = journal.outcomes.filter(({ _id, n }) => n <= step && !asking.has(_id));
  return { step, ended: new Set(ended.map(({ _id }) => _id)) };
}
