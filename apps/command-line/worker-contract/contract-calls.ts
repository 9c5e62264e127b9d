import {
  controlKey,
  newMessage,
  type Call,
  type Message,
  type Outcome,
  type ToolCallBody,
  type ToolClass,
} from '#contracts';
import { carryOut, situationOf, stopTurn } from '#journal';
import { timestampOf } from '#time';
import { decideCalls, inputId } from '#turn';
import type { ContractServer } from './contract-server.js';
import { until } from './until.js';

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 60_000;
const OUTCOME_WITHIN_MS = 40_000;
const SEND_AGAIN_MS = 500;

export interface CallOptions {
  class?: ToolClass;
  timeoutMs?: number;
  /** From now; negative: it has passed. */
  deadlineMs?: number;
  version?: string;
}

/** Calls as the orchestrator that drives a turn commits and sends them. */
export class ContractCalls {
  constructor(private readonly server: ContractServer) {}

  /** Commits a step with one call, and returns the message's body. */
  async commit(
    tool: string,
    args: Record<string, unknown>,
    options: CallOptions = {},
  ): Promise<ToolCallBody> {
    const { ports } = this.server;
    const { store, me } = ports;
    const id = ports.random.id('').replaceAll('-', '').slice(0, 22);
    const [turn_id, conversation_id, tool_call_id] = [`turn_${id}`, `conv_${id}`, `call_${id}`];
    const at = timestampOf(ports.clock);
    const about = {
      tool_name: `contract.${tool}`,
      arguments: args,
      timeout_ms: options.timeoutMs ?? TIMEOUT_MS,
    };
    const toolClass = options.class ?? 'once';
    const call: Call = {
      ...{ ...about, tool_call_id, class: toolClass },
      ...{ display_name: tool, source: 'local', approval: 'none' },
    };
    const place = { turn_id, conversation_id };
    await store.insertConversation({
      ...{ _id: conversation_id, user_id: 'ann', title: 'Contract', policy: 'enqueue' },
      ...{ created_at: at, updated_at: at },
    });
    await store.insertTurn({
      ...{ _id: turn_id, conversation_id, number: 1, user_id: 'ann', client_message_id: id, content: tool },
      ...{ options: {}, at, status: 'running', due_at: null },
    });
    await store.claim({ _id: `${turn_id}:1`, ...place, owner: me, n: 1, purpose: 'run', at });
    await store.commitStep({
      ...{ _id: `${turn_id}:1`, ...place, turn_number: 1, n: 1, attempt: 100, kind: 'model', blocks: [] },
      ...{ calls: [call], stop_reason: 'tool_use', at },
      usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
    });
    const ticket = {
      ...{ tool_call_id, ...place, n: 1, user_id: 'ann', tool_name: about.tool_name },
      ...{ class: toolClass, reply_to: this.server.key },
    };
    return {
      ...{ ...about, ...ticket, token: this.server.tokenOf(ticket) },
      deadline: new Date(ports.clock.wall() + (options.deadlineMs ?? DEADLINE_MS)).toISOString(),
      ...(options.version !== undefined && { tool_version: options.version }),
    };
  }

  /** To the queue of the toolset; may be sent again. */
  async send(body: ToolCallBody): Promise<void> {
    const { ports } = this.server;
    const outcome = await ports.bus.publish('tools.contract', newMessage(ports, 'tool.call', body));
    if (outcome !== 'confirmed') throw new Error(`the broker did not take the call: ${outcome}`);
  }

  /**
   * As its driver does: again, as long as no worker claims it. A worker of another version leaves it; of calls that are
   * sent in step, the broker could give each to the same worker every time.
   */
  async sendUntilClaimed(body: ToolCallBody): Promise<void> {
    const { clock, random } = this.server.ports;
    let sendAt = -Infinity;
    await until(`a claim on ${body.tool_call_id}`, async () => {
      if (clock.now() >= sendAt) {
        sendAt = clock.now() + random.jitter(SEND_AGAIN_MS);
        await this.send(body);
      }
      return this.ownerOf(body);
    });
  }

  async make(tool: string, args: Record<string, unknown>, options?: CallOptions): Promise<ToolCallBody> {
    const body = await this.commit(tool, args, options);
    await this.send(body);
    return body;
  }

  /** How the call ended, as the store has it. */
  outcomeOf({ tool_call_id }: ToolCallBody): Promise<Outcome> {
    const { store } = this.server.ports;
    return until(`the end of ${tool_call_id}`, () => store.getOutcome(tool_call_id), OUTCOME_WITHIN_MS);
  }

  /** The same, while the orchestrator does what it does about calls of lost workers. */
  drivenOutcomeOf(body: ToolCallBody): Promise<Outcome> {
    const { ports } = this.server;
    const drive = async () => {
      const journal = await ports.store.readJournal(body.turn_id);
      if (!journal) return null;
      const actions = decideCalls(journal, await situationOf(ports, journal));
      for (const action of actions) await carryOut(ports, journal, action);
      return ports.store.getOutcome(body.tool_call_id);
    };
    return until(`the end of ${body.tool_call_id}`, drive, OUTCOME_WITHIN_MS);
  }

  /** The worker that claimed an attempt. */
  async ownerOf({ tool_call_id }: ToolCallBody, attempt = 1): Promise<string | undefined> {
    const claims = await this.server.ports.store.listClaims(tool_call_id);
    return claims.find(({ n }) => n === attempt)?.owner;
  }

  /** Its person answers the question; `isTold`: the worker hears of it. */
  async answer(body: ToolCallBody, name: string, { isTold }: { isTold: boolean }): Promise<void> {
    const { ports, events } = this.server;
    const { tool_call_id, turn_id, conversation_id } = body;
    const asked = await until('the question', () =>
      events.find((event) => event.type === 'input_required' && event.tool_call_id === tool_call_id),
    );
    const number = asked.type === 'input_required' ? asked.number : 1;
    const at = timestampOf(ports.clock);
    const given = { action: 'accept', content: { name }, by: 'ann', at } as const;
    await ports.store.answer({
      _id: inputId(tool_call_id, 'input', number),
      turn_id,
      conversation_id,
      ...given,
    });
    const owner = await this.ownerOf(body);
    const message = newMessage(ports, 'tool.answered', { tool_call_id, turn_id });
    if (isTold && owner !== undefined) await ports.bus.send(controlKey(owner), message);
  }

  /** What is no call arrives in the queue and among the control messages of the worker. */
  async sendUnreadable(worker: string): Promise<number> {
    const { ports } = this.server;
    const { bus } = ports;
    const odd: unknown[] = [
      newMessage(ports, 'probe', {}),
      { ...newMessage(ports, 'probe', {}), type: 'tool.call', body: { tool_name: 7 } },
      { ...newMessage(ports, 'probe', {}), version: '2.0.0' },
      { id: 'x', text: 'a'.repeat(10_000) },
      ['garbage'],
    ];
    for (const message of odd as Message[]) {
      await bus.publish('tools.contract', message);
      await bus.send(controlKey(worker), message);
    }
    return odd.length;
  }

  /** Its person presses Stop. */
  async stop({ turn_id }: ToolCallBody): Promise<void> {
    await stopTurn(this.server.ports, turn_id, () => Promise.resolve(false));
  }
}
