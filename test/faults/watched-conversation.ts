import { randomUUID } from 'node:crypto';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import type { Gates } from '../e2e/gates.js';
import { requestJson } from '../e2e/standalone-process.js';
import { Viewer } from '../e2e/viewer.js';
import type { Scenario } from './fault-cases.js';

const ENDED_MS = 60_000;

/** Where the two people are at first. */
export interface Seats {
  ann: SwitchyardProcess;
  bob: SwitchyardProcess;
}

/**
 * One conversation around a fault: Bob asks for tools and later reconnects elsewhere, Ann watches all the time and
 * asks something that waits in line behind it.
 */
export class WatchedConversation {
  /** The turn that meets the fault. */
  mainId = '';
  /** The turn behind it. */
  nextId = '';
  /** Under which the tools write down their starts. */
  readonly once = `once-${randomUUID().slice(0, 8)}`;
  readonly again = `again-${randomUUID().slice(0, 8)}`;
  private readonly messageId = randomUUID();

  private constructor(
    readonly id: string,
    readonly ann: Viewer,
    readonly bob: Viewer,
    private readonly gates: Gates,
    private readonly scenario: Scenario,
  ) {}

  static async open(seats: Seats, gates: Gates, scenario: Scenario): Promise<WatchedConversation> {
    const created = await requestJson<{ id: string }>(`${seats.ann.url}/api/conversations`, {
      method: 'POST',
      json: {},
    });
    const [ann, bob] = await Promise.all([Viewer.connect(seats.ann.url), Viewer.connect(seats.bob.url)]);
    const conversation = new WatchedConversation(created.body.id, ann, bob, gates, scenario);
    await Promise.all([ann.join(conversation.id), bob.join(conversation.id)]);
    if (scenario === 'turn') conversation.openGates();
    return conversation;
  }

  get viewers(): Viewer[] {
    return [this.ann, this.bob];
  }

  /** Bob's message, over his socket or, at `overHttp`, over HTTP. Resolves without an answer if there is none. */
  async ask(overHttp?: SwitchyardProcess): Promise<void> {
    const message = { content: this.question, client_message_id: this.messageId };
    const answer = overHttp
      ? requestJson(`${overHttp.url}/api/conversations/${this.id}/turns`, {
          method: 'POST',
          json: message,
        }).then(({ body }) => body as Record<string, unknown>)
      : this.bob.request('message', { conversation_id: this.id, ...message }, ENDED_MS);
    this.take(await answer.catch(() => ({})));
  }

  /** Ann's message, once there is a turn before it. */
  async askNext(): Promise<void> {
    const sent = await this.ann.send('what is 20 + 22?', { conversation_id: this.id });
    this.nextId = sent.turn_id;
  }

  /** Resolves when one call runs and the other waits for approval. */
  async waitForCalls(): Promise<void> {
    await this.gates.started(this.once);
    const states = () => this.ann.turn(this.id, this.mainId)?.steps[0]?.calls.map(({ state }) => state);
    await waitFor(() => String(states()) === 'running,awaiting_approval', { what: 'a call to approve' });
  }

  /** Bob stops the turn; the calls that may be running, or nothing if he is not answered. */
  async stop(): Promise<unknown> {
    const answer = await this.bob.request('stop', { turn_id: this.mainId }, ENDED_MS).catch(() => ({}));
    return (answer as Record<string, unknown>).may_be_running;
  }

  /** Bob reconnects at another gateway and follows the conversation there. */
  async moveBob(gateway: SwitchyardProcess): Promise<void> {
    await this.bob.moveTo(gateway.url);
    await this.bob.join(this.id);
  }

  openGates(): void {
    this.gates.open(this.once);
    this.gates.open(this.again);
  }

  /** Resolves when both turns have ended for both people. */
  async ended(): Promise<void> {
    for (const viewer of this.viewers)
      for (const turnId of [this.mainId, this.nextId]) await viewer.ended(this.id, turnId, ENDED_MS);
  }

  close(): void {
    for (const viewer of this.viewers) viewer.close();
  }

  private get question(): string {
    const hold = (toolset: string, name: string) => `call ${toolset}__hold with {"name":"${name}"}`;
    const first = hold('acts', this.once);
    return this.scenario === 'stop'
      ? `${first} and what is 6 * 7?`
      : `${first} and ${hold('repeats', this.again)}`;
  }

  private take(answer: Record<string, unknown>): void {
    const turnId = answer.turn_id;
    if (typeof turnId === 'string') {
      if (this.mainId !== '' && this.mainId !== turnId) throw new Error('the resend became another turn');
      this.mainId = turnId;
    } else if ('error' in answer) throw new Error(`the message was refused: ${JSON.stringify(answer.error)}`);
  }
}
