import { setTimeout as delay } from 'node:timers/promises';
import { Link, type LinkOptions } from './link.js';
import { Approver } from './approver.js';
import { contentOf, makePlan } from './plan.js';
import type { Random } from './random.js';

const TURNS_PER_CONVERSATION = 8;
/** Then the person writes something else. */
const PATIENCE_MS = 90_000;
/** Before a conversation is left for good: longer than a call that nobody starts may stay open. */
const LAST_PATIENCE_MS = 300_000;

type PersonOptions = LinkOptions & { isOver: () => boolean };

/**
 * Somebody at two devices: writes on one, looks on with both, loses connections, sends again, answers what waits for
 * them, presses Stop.
 */
export class Person {
  readonly links: [Link, Link];
  private number = 0;
  private readonly random: Random;
  private readonly errands = new Set<Promise<void>>();
  private readonly approver: Approver;

  constructor(private readonly options: PersonOptions) {
    const { name, random } = options;
    this.random = random.fork();
    this.links = [
      new Link({ ...options, name: `${name}-a`, random: random.fork() }),
      new Link({ ...options, name: `${name}-b`, random: random.fork() }),
    ];
    this.approver = new Approver(name, this.links, random.fork());
  }

  /** One conversation of several turns; everything in it has been acknowledged when it resolves. */
  async live(): Promise<void> {
    const { random } = this;
    let conversationId: string | undefined;
    const turnIds: string[] = [];
    for (let turn = 0; turn < TURNS_PER_CONVERSATION && !this.options.isOver(); turn++) {
      const sent = await this.write(conversationId);
      conversationId = sent.conversation_id;
      turnIds.push(sent.turn_id);
      for (const link of this.links) link.follow(conversationId);
      this.run(this.disturb(sent.turn_id));
      this.run(this.approver.attend(sent.turn_id, LAST_PATIENCE_MS));
      // Now and then the next message is written while the last one is worked on.
      if (!random.chance(0.2)) await this.until((link) => link.hasSeenEnd(sent.turn_id));
      await delay(random.between(0, 1_500));
    }
    await Promise.all(this.errands);
    await Promise.all(this.links.map((link) => this.until(() => link.hasSeenAll(turnIds), LAST_PATIENCE_MS)));
    for (const link of this.links) link.leave();
  }

  async close(): Promise<void> {
    await Promise.all(this.links.map((link) => link.close()));
  }

  /** Until a gateway has taken it, whatever is lost on the way: without an answer nobody knows whether it is a turn. */
  private async write(
    conversationId: string | undefined,
  ): Promise<{ conversation_id: string; turn_id: string }> {
    const { random, options } = this;
    const name = `${options.name}-${++this.number}`;
    const payload = {
      ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      client_message_id: name,
      content: contentOf(makePlan(name, random)),
    };
    const again = random.chance(0.2) ? 2 : 1;
    for (let accepted = 0; ;) {
      const answer = await this.send(random.pick(this.links), payload);
      if (answer && ++accepted === again) return answer;
      if (!answer) await delay(random.between(100, 700));
    }
  }

  private async send(link: Link, payload: { conversation_id?: string; client_message_id: string }) {
    const viewer = this.options.name;
    const { conversation_id, client_message_id } = payload;
    link.record({ at: Date.now(), viewer, what: 'message', conversation_id, client_message_id });
    const answer = await link.ask('message', payload);
    if (!answer) return undefined;
    const given = answer as { conversation_id: string; turn_id: string };
    link.record({ at: Date.now(), viewer, what: 'accepted', ...given, client_message_id });
    return given;
  }

  /** What happens while a turn runs: connections break, and somebody may press Stop. */
  private async disturb(turnId: string): Promise<void> {
    const { random } = this;
    await delay(random.between(0, 3_000));
    if (random.chance(0.25)) random.pick(this.links).drop();
    if (random.chance(0.15)) await this.stop(turnId);
  }

  private async stop(turnId: string): Promise<void> {
    const viewer = this.options.name;
    for (;;) {
      const link = this.random.pick(this.links);
      link.record({ at: Date.now(), viewer, what: 'stop', turn_id: turnId });
      const answer = await link.ask('stop', { turn_id: turnId });
      if (answer) {
        const may_be_running = answer.may_be_running as string[];
        return link.record({ at: Date.now(), viewer, what: 'stopped', turn_id: turnId, may_be_running });
      }
      if (this.options.isOver()) return;
      await delay(this.random.between(100, 700));
    }
  }

  private async until(isSo: (link: Link) => boolean, patienceMs = PATIENCE_MS): Promise<void> {
    const givesUpAt = performance.now() + patienceMs;
    while (!this.links.some(isSo) && performance.now() < givesUpAt) await delay(50);
  }

  private run(errand: Promise<void>): void {
    this.errands.add(errand);
    void errand.finally(() => this.errands.delete(errand));
  }
}
