import type { ConversationEvent, Snapshot, View } from '#contracts';
import { emptyView, reduce } from '#turn';
import { DriverRequests } from '../../apps/gateway/control/driver-requests.js';
import { Conversations } from '../../apps/gateway/conversations/conversations.js';
import { Ownership } from '../../apps/gateway/conversations/ownership.js';
import { DEFAULT_FEED_TIMINGS } from '../../apps/gateway/feeds/feed-timings.js';
import { Feeds } from '../../apps/gateway/feeds/feeds.js';
import { createViewReader } from '../../apps/gateway/feeds/read-view.js';
import type { Room, Viewer } from '../../apps/gateway/feeds/viewer.js';
import { AnswerCalls } from '../../apps/gateway/turns/answer-calls.js';
import { StopTurns } from '../../apps/gateway/turns/stop-turns.js';
import { SubmitTurn } from '../../apps/gateway/turns/submit-turn.js';
import type { Equipment } from './chaos-process.js';

/** Somebody's page: it holds what it was told and nothing else. */
export class Page implements Viewer {
  view: View;

  constructor(readonly conversationId: string) {
    this.view = emptyView(conversationId);
  }

  send(event: ConversationEvent | Snapshot): void {
    this.view = reduce(this.view, event);
  }

  isBehind(): boolean {
    return false;
  }

  onceDrained(): void {}
}

/** What a gateway does behind its sockets, without the sockets. */
export class ChaosGateway {
  readonly submitTurn: SubmitTurn;
  readonly stopTurns: StopTurns;
  readonly answerCalls: AnswerCalls;
  readonly conversations: Conversations;
  private readonly drivers: DriverRequests;
  private readonly feeds: Feeds;

  constructor(private readonly equipment: Equipment) {
    const { store, bus, member, log } = equipment;
    const { processId, peers } = member;
    const ownership = new Ownership(store);
    this.drivers = new DriverRequests(bus, processId);
    this.stopTurns = new StopTurns({ store, bus, me: processId, peers, log }, this.drivers);
    const { stopTurns } = this;
    const limits = { turnsAtOnce: 1_000 };
    this.submitTurn = new SubmitTurn({ store, bus, ownership, stopTurns, limits, log });
    this.answerCalls = new AnswerCalls(store, bus, ownership);
    this.conversations = new Conversations(store, ownership, stopTurns);
    this.feeds = new Feeds(bus, openRoom, {
      readView: createViewReader(store, (turnId, driver) => this.drivers.peek(turnId, driver)),
      timings: DEFAULT_FEED_TIMINGS,
      counters: { relayed: () => undefined, dropped: () => undefined },
      log,
      now: () => performance.now(),
    });
  }

  async start(): Promise<void> {
    const { bus, member } = this.equipment;
    await bus.onControl({ role: 'gateway', processId: member.processId }, (message) => {
      if (message.type === 'turn.stopped' || message.type === 'turn.partial')
        this.drivers.receive(message.body);
    });
    this.feeds.start();
  }

  stop(): void {
    this.feeds.stop();
  }

  async join(page: Page): Promise<void> {
    (await this.feeds.open(page.conversationId)).add(page);
  }
}

function openRoom(): Room {
  const viewers = new Set<Viewer>();
  return {
    enter: (viewer) => void viewers.add(viewer),
    leave: (viewer) => void viewers.delete(viewer),
    broadcast: (event) => {
      for (const viewer of viewers) viewer.send(event);
    },
  };
}
