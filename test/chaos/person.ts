import type { Policy } from '#contracts';
import type { Store } from '#store';
import { answerTo, openCalls } from '#turn';
import { newConversation } from '../../apps/gateway/conversations/conversations.js';
import { RequestError, toRequestError } from '../../apps/gateway/errors/request-error.js';
import { Page, type ChaosGateway } from './chaos-gateway.js';
import type { Faults } from './faults.js';
import type { Fleet } from './fleet.js';
import { contentFor } from './lab-model.js';
import type { Random } from './random.js';
import type { Trace } from './trace.js';

const PATIENCE_MS = 8_000;

export interface PersonOptions {
  fleet: Fleet;
  /** The store itself: people see what they are asked, whoever shows it to them. */
  store: Store;
  faults: Faults;
  trace: Trace;
  random: Random;
}

/** Somebody with a conversation: writes, resends, stops, allows and denies, over whichever gateway answers. */
export class Person {
  readonly conversationId: string;
  page: Page;
  private readonly user: { id: string; isOperator: boolean };
  private pageGateway: ChaosGateway | undefined;
  private errands: Promise<void>[] = [];
  private isDone = false;

  constructor(
    private readonly options: PersonOptions,
    readonly name: string,
  ) {
    this.conversationId = `conv_${name}`;
    this.page = new Page(this.conversationId);
    this.user = { id: name, isOperator: false };
  }

  /** Everything this person wants has been acknowledged when it resolves. */
  async live(messages: number): Promise<void> {
    const { random, store, faults } = this.options;
    const policy: Policy = random.chance(0.7) ? 'enqueue' : random.pick(['interrupt', 'reject']);
    await store.insertConversation(newConversation(this.conversationId, this.user.id, { policy }));
    const answering = this.answerApprovals();
    for (let number = 1; number <= messages; number++) {
      if (random.chance(0.7)) await faults.delay(random.between(0, 9_000));
      const sending = this.write(`${this.name}-${number}`);
      this.errands.push(sending);
      if (random.chance(0.7)) await sending;
    }
    await Promise.all(this.errands);
    this.isDone = true;
    await answering;
  }

  /** One more message, when nothing goes wrong any more: who missed an event before learns of it by the next one. */
  async writeLast(): Promise<void> {
    await this.options.store.updateConversation(this.conversationId, { policy: 'enqueue' });
    await this.write(`${this.name}-last`, 0);
  }

  /** Looks at the conversation through a gateway, and through another one when that is gone. */
  async look(): Promise<void> {
    const gateway = this.gateway();
    if (!gateway || gateway === this.pageGateway) return;
    this.pageGateway = gateway;
    this.page = new Page(this.conversationId);
    await gateway.join(this.page);
  }

  /** True once the gateway that shows the page is not there any more. */
  get isCutOff(): boolean {
    return !this.options.fleet.of('gateway').some(({ gateway }) => gateway && gateway === this.pageGateway);
  }

  private async write(clientMessageId: string, steps = this.options.random.integer(0, 3)): Promise<void> {
    const { random, trace, faults } = this.options;
    const request = {
      conversation_id: this.conversationId,
      client_message_id: clientMessageId,
      content: contentFor(clientMessageId, steps),
    };
    const send = () =>
      this.insist(async (gateway) => {
        const accepted = await gateway.submitTurn.accept(this.user, request);
        void accepted.announce();
        trace.accept(clientMessageId, accepted.answer.turn_id);
        return accepted.answer.turn_id;
      });
    const sent = await (random.chance(0.3) ? Promise.all([send(), send()]) : Promise.all([send()]));
    const turnId = sent.find((id) => id !== undefined);
    if (turnId === undefined || !random.chance(0.4)) return;
    await faults.delay(random.chance(0.3) ? random.between(0, 200) : random.between(0, 6_000));
    await this.stop(turnId);
    if (random.chance(0.3)) await this.stop(turnId);
  }

  private async stop(turnId: string): Promise<void> {
    await this.insist(async (gateway) => {
      const mayBeRunning = await gateway.stopTurns.stop(turnId);
      this.options.trace.stopped(turnId, mayBeRunning);
    });
  }

  private async answerApprovals(): Promise<void> {
    const { random, faults } = this.options;
    const unended = async () => (await this.journals()).filter(({ turn }) => turn.due_at !== null);
    while (!this.isDone || (await unended()).length > 0) {
      await faults.delay(random.between(500, 4_000));
      for (const journal of await unended()) {
        for (const { call } of openCalls(journal)) {
          const isAsked = call.approval === 'required' && !answerTo(journal, call.tool_call_id, 'approval');
          if (isAsked && random.chance(0.6)) await this.answer(journal.turn._id, call.tool_call_id);
        }
      }
    }
  }

  private async answer(turnId: string, toolCallId: string): Promise<void> {
    const decision = this.options.random.chance(0.7) ? ('approve' as const) : ('deny' as const);
    const request = { turn_id: turnId, tool_call_id: toolCallId, decision };
    await this.insist((gateway) => gateway.answerCalls.approve(this.user, request));
  }

  private async journals() {
    const { store } = this.options;
    return store.readJournals(
      this.conversationId,
      await store.listTurns(this.conversationId, { limit: 1_000 }),
    );
  }

  /** Asks one gateway after the other until one has done it; undefined when it was refused for good. */
  private async insist<T>(ask: (gateway: ChaosGateway) => Promise<T>): Promise<T | undefined> {
    const { random, faults, trace } = this.options;
    for (;;) {
      const gateway = this.gateway();
      const asking = gateway && ask(gateway).then((value) => ({ value }));
      const noAnswer = faults.delay(PATIENCE_MS).then(() => 'no answer' as const);
      const answer = await Promise.race([asking, noAnswer]).catch((error: unknown) => toRequestError(error));
      if (answer instanceof RequestError) {
        if (answer.code === 'internal') trace.errors.push('a gateway failed');
        if (answer.code !== 'overloaded' && answer.code !== 'unavailable') return undefined;
      } else if (answer && answer !== 'no answer') {
        return answer.value;
      }
      await faults.delay(random.between(100, 1_500));
    }
  }

  private gateway(): ChaosGateway | undefined {
    return this.options.random.pick(this.options.fleet.of('gateway')).gateway;
  }
}
