import { createHash } from 'node:crypto';
import type { Artifacts } from '../../artifacts/artifacts.js';
import type { User } from '../../auth/user.js';
import type { NewPlace } from '../../turns/submit-turn.js';
import type { TurnReader } from '../../turns/turn-reader.js';
import type { DialectTurns, StartedTurn } from '../dialect-turns.js';
import type { NamedConversations } from '../named-conversations.js';
import type { TurnNews } from '../turn-stream.js';
import { answerParts, type Pinned } from './answer-parts.js';
import { readHistory } from './chat-history.js';
import type { Answered } from './chat-lines.js';
import { turnOptionsOf, type ChatRequest } from './chat-request.js';
import { contextOf, draftsOf, pinnedOf } from './pinned.js';
import { turnAnswer } from './turn-answer.js';

/** A conversation that the client does not name is not shown anywhere, and removed after a day. */
const KEPT_MS = 24 * 3_600_000;

export interface StartedChat extends StartedTurn {
  /** Eight hex digits that stand for the turn. */
  trace: string;
  /** What goes with the end of a turn that has completed; of any other news undefined. */
  answered(news: TurnNews): Promise<Answered | undefined>;
}

/** Requests of this dialect as turns, and what turns come to. */
export class ArtifactChat {
  constructor(
    private readonly deps: {
      turns: DialectTurns;
      named: Pick<NamedConversations, 'find'>;
      turnReader: Pick<TurnReader, 'journal'>;
      artifacts: Pick<Artifacts, 'read'>;
      /** The model of a provider, if it is configured. */
      modelOf: (provider: string) => string | undefined;
    },
  ) {}

  /** `tools: false`: the model is offered none. Throws `RequestError`. */
  async start(user: User, request: ChatRequest, { tools }: { tools: boolean }): Promise<StartedChat> {
    const drafts = draftsOf(request);
    const pinned = pinnedOf(drafts);
    const { message, conversationId, history = [], modelProvider } = request;
    const model = modelProvider === undefined ? undefined : this.deps.modelOf(modelProvider);
    const options = turnOptionsOf(request, { tools, model, context: contextOf(drafts) });
    const place: NewPlace | { conversation_id: string } = conversationId
      ? await this.deps.named.find(user, conversationId)
      : { expiresAt: Date.now() + KEPT_MS };
    const past = readHistory(history, message);
    const started = await ('conversation_id' in place
      ? this.deps.turns.start(user, { ...place, content: message, options }, { history: past })
      : this.deps.turns.start(user, { content: message, options }, { ...place, history: past }));
    return {
      ...started,
      trace: createHash('sha256').update(started.turn_id).digest('hex').slice(0, 8),
      answered: (news) => this.answered(user, news, pinned),
    };
  }

  private async answered(user: User, news: TurnNews, pinned: Pinned): Promise<Answered | undefined> {
    if (news.type !== 'turn_ended' || news.turn.status !== 'completed') return undefined;
    const journal = await this.deps.turnReader.journal(user, news.turn.turn_id);
    const read = async (id: string) => (await this.deps.artifacts.read(user, id)).content;
    const answer = await turnAnswer(journal, read);
    const thinking = answer.blocks.find((block) => block.type === 'thinking')?.text;
    const parts = answerParts(answer, pinned);
    return { parts, ...(thinking ? { thinking } : {}) };
  }
}
