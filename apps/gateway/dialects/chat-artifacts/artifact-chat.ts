import { createHash } from 'node:crypto';
import type { ClientRequest } from '#contracts';
import type { Artifacts } from '../../artifacts/artifacts.js';
import type { User } from '../../people/auth/user.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import type { DialectTurns, StartedTurn } from '../host/dialect-turns.js';
import { startAt, type NamedConversations } from '../identity/named-conversations.js';
import type { TurnNews } from '../stream/turn-stream.js';
import type { UnnamedTurns } from '../identity/unnamed-turns.js';
import { answerParts, type Pinned } from './answer-parts.js';
import { historyMessages } from './chat-history.js';
import type { Answered } from './chat-lines.js';
import { turnOptionsOf } from './chat-request.js';
import type { ParsedChat } from './read-chat.js';
import { turnAnswer } from './turn-answer.js';

export interface StartedChat extends StartedTurn {
  /** Eight hex digits that stand for the turn. */
  trace: string;
  /** The answer of a completed turn; undefined for any other news. */
  answered(news: TurnNews): Promise<Answered | undefined>;
  /** The text that the client will send back as the answer of a completed turn. */
  remember(answer: string): Promise<void>;
}

/** Turns requests of this dialect into turns, and turns into answers. */
export class ArtifactChat {
  constructor(
    private readonly deps: {
      turns: DialectTurns;
      unnamed: UnnamedTurns;
      named: Pick<NamedConversations, 'find'>;
      turnReader: Pick<TurnReader, 'journal'>;
      artifacts: Pick<Artifacts, 'read'>;
      /** The model of a provider, if it is configured. */
      modelOf: (provider: string) => string | undefined;
      mergeGraphs: (graphs: readonly string[], userId: string) => Promise<string>;
    },
  ) {}

  /** `tools: false`: no tools are offered to the model. Throws `RequestError`. */
  async start(user: User, asked: ParsedChat, { tools }: { tools: boolean }): Promise<StartedChat> {
    const { request, context, pinned } = asked;
    const { message, conversationId, modelProvider } = request;
    const model = modelProvider === undefined ? undefined : this.deps.modelOf(modelProvider);
    const options = turnOptionsOf(request, { tools, model, context });
    const started = await this.startIn(user, conversationId, { content: message, options }, { asked, tools });
    return {
      ...started,
      trace: createHash('sha256').update(started.turn_id).digest('hex').slice(0, 8),
      answered: (news) => this.answered(user, news, pinned),
    };
  }

  /** A name is the user's own name for a conversation, or the id of a conversation that began elsewhere. */
  private async startIn(
    user: User,
    name: string | undefined,
    message: ClientRequest<'message'>,
    { asked, tools }: { asked: ParsedChat; tools: boolean },
  ): Promise<StartedTurn & Pick<StartedChat, 'remember'>> {
    const { said, written: history } = asked;
    if (!name) {
      // A request without tools must not get a conversation with calls.
      const kind = tools ? 'chat' : 'basic';
      const brought = { said, written: history, kind };
      const started = await this.deps.unnamed.start(user, message, brought);
      // Buttons come back as buttons.
      const asBrought = (text: string) =>
        historyMessages([{ role: 'assistant', content: text }], '')[0]?.text ?? '';
      return { ...started, remember: (answer) => started.remember(asBrought(answer)) };
    }
    const place = await this.deps.named.find(user, name);
    const started = await startAt(this.deps.turns, user, { place, message, history });
    return { ...started, remember: () => Promise.resolve() };
  }

  private async answered(user: User, news: TurnNews, pinned: Pinned): Promise<Answered | undefined> {
    if (news.type !== 'turn_ended' || news.turn.status !== 'completed') return undefined;
    const journal = await this.deps.turnReader.journal(user, news.turn.turn_id);
    const read = async (id: string) => (await this.deps.artifacts.read(user, id)).content;
    const answer = await turnAnswer(journal, read);
    const thinking = answer.blocks.find((block) => block.type === 'thinking')?.text;
    const parts = await answerParts(answer, pinned, (graphs) => this.deps.mergeGraphs(graphs, user.id));
    return { parts, ...(thinking ? { thinking } : {}) };
  }
}
