import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../services/wait-for.js';
import type { Gates } from '../e2e/gates.js';
import type { Viewer } from '../e2e/viewer.js';

/** How long an answer may take before a client sends its request again, as one does whose connection broke. */
const ANSWER_TIMEOUT_MS = 5_000;
/** How long a tool holds: long enough that some call always runs, short enough to end within a drain's grace. */
const HELD_MS = 300;
/** A newcomer is shown the last 20; so it sees all of each conversation. */
const TURNS_A_CONVERSATION = 15;
/** Over all restarts that a turn may live through. */
const TURN_TIMEOUT_MS = 60_000;

export interface SentTurn {
  conversation_id: string;
  turn_id: string;
  /** Of its tool, if it calls one that writes its starts down. */
  gate?: string;
}

/** A person who talks all the time, the next message as soon as the last one has its end, and one who reads along. */
export class Talker {
  readonly turns: SentTurn[] = [];
  /** Refusals that the person saw. */
  readonly refusals: unknown[] = [];
  private isStopped = false;
  private talking: Promise<void> = Promise.resolve();

  constructor(
    private readonly name: string,
    readonly viewer: Viewer,
    readonly reader: Viewer,
    private readonly gates: Gates,
  ) {
    for (const follower of [viewer, reader]) this.rejoinAfterReconnect(follower);
  }

  start(): void {
    this.talking = this.talk();
    // Whoever stops it is told.
    this.talking.catch(() => undefined);
  }

  /** Resolves when the last turn has ended; rejects when one did not. */
  stop(): Promise<void> {
    this.isStopped = true;
    return this.talking;
  }

  private async talk(): Promise<void> {
    for (let number = 1; !this.isStopped; number++) {
      const gate = number % 3 === 0 ? undefined : `${this.name}-${number}`;
      const server = number % 3 === 1 ? 'effects' : 'reads';
      const content = gate
        ? `call ${server}__hold with {"name":"${gate}"} then what is 3 + 4?`
        : 'count to 120';
      const sent = await this.send(content, `${this.name}-${number}`);
      this.turns.push({ ...sent, gate });
      this.reader.socket.emit('join', { conversation_id: sent.conversation_id }, () => undefined);
      // Whether it was started is seen at the end.
      if (gate) this.openSoon(gate).catch(() => undefined);
      await this.viewer.ended(sent.conversation_id, sent.turn_id, TURN_TIMEOUT_MS);
    }
  }

  /** Until it is answered: the same message is the same turn through any gateway. */
  private async send(content: string, id: string): Promise<SentTurn> {
    const isFull = this.turns.length % TURNS_A_CONVERSATION === 0;
    const conversationId = isFull ? undefined : this.turns.at(-1)?.conversation_id;
    const request = {
      content,
      client_message_id: id,
      ...(conversationId ? { conversation_id: conversationId } : {}),
    };
    for (;;) {
      const answer = await this.viewer.request('message', request, ANSWER_TIMEOUT_MS).catch(() => undefined);
      if (answer && 'turn_id' in answer) return answer as unknown as SentTurn;
      if (answer) this.refusals.push(answer);
    }
  }

  private async openSoon(gate: string): Promise<void> {
    await waitFor(() => this.gates.starts(gate) > 0, { what: gate, timeoutMs: TURN_TIMEOUT_MS });
    await delay(HELD_MS);
    this.gates.open(gate);
  }

  /** As any client does: who comes back says again what it follows. */
  private rejoinAfterReconnect({ socket }: Viewer): void {
    socket.on('connect', () => {
      const ids = new Set(this.turns.map(({ conversation_id }) => conversation_id));
      for (const conversation_id of ids) socket.emit('join', { conversation_id }, () => undefined);
    });
  }
}
