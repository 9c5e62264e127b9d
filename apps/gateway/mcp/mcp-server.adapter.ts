import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type McpHttpHandler,
  type McpRequestContext,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Artifact, CallView, CatalogTool, ConversationEvent, Outcome } from '#contracts';
import { VERSION, type Logger } from '#observability';
import { busNameOf, describeUnknownTool } from '#tools';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { User } from '../people/auth/user.js';
import type { OfferedTools } from '../catalogue/offered-tools.js';
import type { Ownership } from '../turns/ownership.js';
import { isNotFound, type RequestError } from '../errors/request-error.js';
import { toRequestError } from '../errors/to-request-error.js';
import type { AnswerCalls } from '../turns/answer-calls.js';
import type { CallAnswer, CallPlace, DirectCalls, FollowOptions } from './direct-calls.js';
import { AnswerBudget } from './answer-budget.js';
import { elicitationOf, wantsAccount, whyNotAsked } from './elicitation-of.js';
import { toAnswer, toQuestion, type Question } from './mcp-questions.js';
import { artifactIdOf, refusedCall, toCallToolResult, toMcpTool, toResource } from './mcp-conversions.js';

/** How long a client may keep the list of tools; a listening client is notified of changes. */
const LIST_TTL_MS = 10_000;
/** Of all pictures in one answer. */
const MAX_PICTURES_BYTES = 4 * 1024 * 1024;
const CODE_OF: Partial<Record<RequestError['code'], 'ApiLimitExceeded' | 'DependencyUnavailable'>> = {
  overloaded: 'ApiLimitExceeded',
  busy: 'ApiLimitExceeded',
  unavailable: 'DependencyUnavailable',
};

export interface McpServerDeps {
  offered: OfferedTools;
  calls: DirectCalls;
  answers: AnswerCalls;
  artifacts: Artifacts;
  ownership: Ownership;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** `extra` of an MCP request. */
export interface McpCaller {
  user: User;
  /** Aborted when the response is closed, by whichever side. */
  left: AbortSignal;
}

/** The fleet's catalogue as an MCP server over streamable HTTP: stateless, so any gateway answers any request. */
export function createMcpServer(deps: McpServerDeps): McpHttpHandler {
  const handler = createMcpHandler((context) => serve(deps, context), {
    onerror: (error) => deps.log.warn({ err: error }, 'MCP request failed'),
  });
  deps.offered.onChange(() => handler.notify.toolsChanged());
  return handler;
}

function serve(deps: McpServerDeps, { era, authInfo }: McpRequestContext): Server {
  const { user, left } = authInfo!.extra as unknown as McpCaller;
  const server = new Server(
    { name: 'switchyard', version: VERSION },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
      inputRequired: { legacyShim: false },
    },
  );
  const budget = new AnswerBudget();
  server.setRequestHandler('tools/list', () =>
    budget.read(async () => ({ tools: (await toolsOf(deps, user)).map(toMcpTool) }), sizeOf),
  );
  server.setRequestHandler('tools/call', (request, context) =>
    new McpCall({ ...deps, budget }, { user, left }, era, context).answer(request.params),
  );
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/read', ({ params }) =>
    budget.read(() => readResource(deps, user, params.uri), sizeOf),
  );
  return server;
}

function sizeOf(answer: object): number {
  return JSON.stringify(answer).length;
}

/** Without the toolset that reads artifacts of a conversation: here every call has its own conversation. */
async function toolsOf({ offered }: McpServerDeps, user: User): Promise<CatalogTool[]> {
  return (await offered.listFor(user)).filter(({ toolset }) => toolset !== 'artifacts');
}

async function readResource(
  { artifacts }: McpServerDeps,
  user: User,
  uri: string,
): Promise<ReadResourceResult> {
  try {
    return toResource(uri, await artifacts.read(user, artifactIdOf(uri) ?? ''));
  } catch (error) {
    if (isNotFound(error)) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

/** One `tools/call`: a new call, or the rest of one that asked its client something. */
class McpCall {
  private progress = 0;

  constructor(
    private readonly deps: McpServerDeps & { budget: AnswerBudget },
    private readonly caller: McpCaller,
    private readonly era: McpRequestContext['era'],
    private readonly context: ServerContext,
  ) {}

  async answer(params: CallToolRequest['params']): Promise<CallToolResult | InputRequiredResult> {
    try {
      const question = toQuestion(this.context.mcpReq.requestState());
      if (question) return await this.resume(question);
      const call = { tool_name: await this.findTool(params.name), arguments: params.arguments ?? {} };
      const { place, news } = await this.deps.calls.run(this.user, call, this.follow());
      return await this.toAnswer(place, news);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return this.refuse(error);
    }
  }

  private get user(): User {
    return this.caller.user;
  }

  private async findTool(name: string): Promise<string> {
    const tools = await toolsOf(this.deps, this.user);
    const found = busNameOf(name, tools);
    if (found !== undefined) return found;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeUnknownTool(name, tools).message);
  }

  private async resume(question: Question): Promise<CallToolResult | InputRequiredResult> {
    const { answers, ownership, calls } = this.deps;
    const { turn_id, tool_call_id, number } = question;
    const { conversation_id } = await ownership.turn(this.user, turn_id);
    const answer = toAnswer(question, inputResponse(this.context.mcpReq.inputResponses, question.asks));
    if (answer.does === 'approve' || answer.does === 'deny')
      await answers.approve(this.user, { turn_id, tool_call_id, decision: answer.does });
    else if (answer.does === 'input') {
      const { does: _, ...given } = answer;
      await answers.input(this.user, { turn_id, tool_call_id, number, ...given });
    }
    const place = { conversation_id, turn_id };
    const answered = answer.does === 'nothing' ? undefined : { tool_call_id, number };
    return this.toAnswer(place, await calls.follow(place, { ...this.follow(), answered }));
  }

  private async toAnswer(place: CallPlace, news: CallAnswer): Promise<CallToolResult | InputRequiredResult> {
    switch (news.is) {
      case 'ended':
        return toCallToolResult(news.outcome, await this.loadPictures(news.outcome));
      case 'failed':
        return refusedCall('ToolExecutionError', news.turn.error?.message ?? 'The call was stopped.');
      case 'asked':
        return this.ask(place, news.call);
      case 'left':
        return refusedCall('Cancelled', 'The client disconnected.');
    }
  }

  /** As many as fit into one answer; the rest are links. */
  private async loadPictures({ artifacts = [] }: Outcome): Promise<Map<string, Artifact>> {
    let left = MAX_PICTURES_BYTES;
    const chosen = artifacts.filter(
      ({ content_type, size }) =>
        content_type.startsWith('image/') && (left -= size) >= 0 && this.deps.budget.reserve(size),
    );
    const read = await Promise.all(chosen.map(({ id }) => this.deps.artifacts.read(this.user, id)));
    return new Map(read.map((artifact) => [artifact._id, artifact]));
  }

  /** A client that cannot be asked gets a refusal, and its waiting call is stopped. */
  private async ask(place: CallPlace, call: CallView): Promise<CallToolResult | InputRequiredResult> {
    if (this.canBeAsked() && !wantsAccount(call)) {
      const question: Question = {
        turn_id: place.turn_id,
        tool_call_id: call.tool_call_id,
        asks: call.state === 'awaiting_approval' ? 'approval' : 'input',
        number: call.question?.number,
      };
      return inputRequired({
        inputRequests: { [question.asks]: inputRequired.elicit(elicitationOf(call)) },
        requestState: JSON.stringify(question),
      });
    }
    await this.deps.calls.stop(place);
    const { type, message } = whyNotAsked(call);
    return refusedCall(type, message);
  }

  private canBeAsked(): boolean {
    const envelope = this.context.mcpReq.envelope as Record<string, unknown> | undefined;
    const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
    return this.era === 'modern' && capabilities?.elicitation !== undefined;
  }

  /**
   * Since version 2026-07-28 a client cancels a call by closing its response. In earlier versions, closing means
   * nothing, and the cancellation (`notifications/cancelled`) finds no session here: such a call continues.
   */
  private follow(): FollowOptions {
    return {
      left: AbortSignal.any([this.caller.left, this.context.mcpReq.signal]),
      leavingStops: this.era === 'modern',
      onEvent: (event) => this.sendProgress(event),
    };
  }

  /** Only to a client that asked for it. MCP requires every figure to be larger than the one before. */
  private sendProgress(event: ConversationEvent): void {
    const token = this.context.mcpReq._meta?.progressToken;
    if (token === undefined || event.type !== 'tool_progress') return;
    const { progress, total, message } = event;
    if (progress <= this.progress) return;
    this.progress = progress;
    const params = { progressToken: token, progress, total, message };
    void this.context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }

  private refuse(error: unknown): CallToolResult {
    const { code, message } = toRequestError(error);
    if (code === 'internal') this.deps.log.error({ err: error }, 'MCP call failed');
    return refusedCall(CODE_OF[code] ?? 'ToolExecutionError', message);
  }
}
