import type { Body, Message } from '#contracts';
import type { WireStep } from './amqp-tap.js';
import { messageOf, requestIdOf } from './record-calls.js';

/** Without the answers of the broker, and without opening and closing. */
const SAID_BY_WORKERS = [
  'QueueDeclare',
  'QueueBind',
  'BasicQos',
  'BasicConsume',
  'BasicPublish',
  'BasicAck',
  'BasicReject',
  'BasicCancel',
];
const SAID_BY_BROKERS = ['BasicDeliver', 'BasicReturn'];

/**
 * What a reader needs, whose number and order do not depend on time: without later beats and offers, polls for an
 * answer, repetitions, and what follows from them.
 */
export function keptSteps(steps: readonly WireStep[]): WireStep[] {
  const keeper = new Keeper(steps);
  return steps.filter((step) => keeper.keeps(step));
}

class Keeper {
  private readonly answers = new Map<string, Body<'ledger.answered'>>();
  private readonly seen = new Set<string>();
  private readonly kept = new Set<string | undefined>();

  constructor(steps: readonly WireStep[]) {
    for (const message of steps.map(messageOf))
      if (message?.type === 'ledger.answered') this.answers.set(message.body.request_id, message.body);
  }

  keeps(step: WireStep): boolean {
    const methods = step.from === 'worker' ? SAID_BY_WORKERS : SAID_BY_BROKERS;
    if (!methods.includes(step.method)) return false;
    const message = messageOf(step);
    if (!message) return true;
    if (message.type === 'probe' || message.type === 'catalog.roll_call') return false;
    const id = requestIdOf(message);
    if (message.type === 'ledger.answered') return this.kept.has(id) && this.isNew(`answer ${id}`);
    const keeps = this.isNew(`request ${id ?? message.id}`) && this.isNew(this.kindOf(message));
    if (keeps) this.kept.add(id);
    return keeps;
  }

  /** Of messages of one kind, only the first is kept. */
  private kindOf(message: Message): string {
    const { id, type, body } = message;
    if (type === 'ledger.beat') return type;
    if (type === 'ledger.announce') return `${type} ${body.toolsets.length}`;
    const isPoll = type === 'ledger.reply' && this.answers.get(body.request_id)?.reply?.answer === null;
    return isPoll ? `poll ${body.call.tool_call_id}` : id;
  }

  private isNew(key: string): boolean {
    const isNew = !this.seen.has(key);
    this.seen.add(key);
    return isNew;
  }
}
