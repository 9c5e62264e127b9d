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

/** The number of a thread's turns that are sent to a client that knows none of them. */
const HISTORY_TURNS = 50;
/** The number of turns that are searched for an ended turn when its client sends answers. */
const RECENT_TURNS = 20;

export interface StartedRun extends StartedTurn {
  alreadySent?: AlreadySent;
  /** Earlier messages of the thread that the client does not know. */
  earlier: AgUiMessage[];
  /** These messages, followed by those that it knows. */
  known: AgUiMessage[];
}

interface Deps {
  turns: DialectTurns;
  reader: TurnReader;
  answers: AnswerCalls;
  ownership: Ownership;
  named: NamedConversations;
}

/** Maps runs of threads to turns. */
export class Runs {
  constructor(private readonly deps: Deps) {}

  /** Throws `RequestError`. A repeated run is the same turn, sent from its beginning. */
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

  /** The questions to a person, once nothing else happens in the turn. */
  async interrupts(turnId: string): Promise<Interrupt[]> {
    return interruptsOf(turnViewOf(await this.deps.reader.journalOfTurn(turnId)));
  }

  /** The messages that the client knew when the run began, and those of the turn before this step. */
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
    // If the turn continued without this client, the rest is sent.
    if (!endingStep(journal)) for (const answer of answers) await this.answer(user, turn_id, answer);
    const sent = alreadySent(journal, answers);
    return { ...(await this.deps.turns.follow(user, turn_id)), alreadySent: sent, earlier: [], known };
  }

  /** The turn that asked all these questions. */
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

/** A run ends with a question when all other calls have ended. */
function alreadySent(journal: Journal, answers: CallAnswer[]): AlreadySent {
  const asking = new Set(answers.map(({ tool_call_id }) => tool_call_id));
  const step = Math.max(...[...asking].map((id) => stepOf(journal, id)!.n));
  const ended = journal.outcomes.filter(({ _id, n }) => n <= step && !asking.has(_id));
  return { step, ended: new Set(ended.map(({ _id }) => _id)) };
}
