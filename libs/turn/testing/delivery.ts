import type { CallState, ConversationEvent, View } from '#contracts';
import { emptyView, reduce, reduceEvent } from '../view/reduce.js';
import { viewOf } from '../view/view-of.js';
import type { Tape } from './tape.js';
import type { Frame, World } from './world.js';

/** A gateway's view, and the view of a page that gets only the events that the gateway relays. */
export interface Shown {
  gateway: View;
  page: View;
}

/**
 * Delivers the events of a world to a gateway: in order per publisher, otherwise in any order, some of them twice and,
 * if `isLossy`, some never. On a gap the gateway reads the rows as they stand at that moment.
 */
export class Delivery {
  readonly shown: Shown;
  gaps = 0;
  private published = 0;
  private restedAt: Frame | undefined;
  private rested: View | undefined;
  private readonly pending = new Map<string, ConversationEvent[]>();
  private readonly delivered: ConversationEvent[] = [];

  constructor(
    private readonly world: World,
    private readonly tape: Tape,
    private readonly isLossy: boolean,
    private readonly onShown: (shown: Shown) => void,
    /** Called when every published event has arrived, with the frame whose rows the view should show. */
    private readonly onRest: (frame: Frame, shown: Shown) => void = () => {},
  ) {
    const { _id, title } = world.conversation;
    this.shown = { gateway: { ...emptyView(_id), title }, page: { ...emptyView(_id), title } };
  }

  run(): void {
    const { frames } = this.world;
    while (this.published < frames.length || this.pending.size > 0) {
      this.step(frames);
      const frame = frames[this.published - 1];
      const isNews = frame !== this.restedAt || this.shown.gateway !== this.rested;
      if (!frame || this.pending.size > 0 || !isNews) continue;
      this.restedAt = frame;
      this.rested = this.shown.gateway;
      this.onRest(frame, this.shown);
    }
  }

  /** The view from the store at this moment. */
  read(): View {
    const frame = this.world.frames[this.published - 1];
    const partials = this.tape.oneIn(3) ? [] : frame?.partials;
    return viewOf(this.world.conversation, frame?.journals ?? [], false, partials);
  }

  private step(frames: Frame[]): void {
    const publishers = [...this.pending.keys()];
    if (this.tape.oneIn(10)) {
      const again = this.tape.pick(this.delivered);
      return again && this.receive(again);
    }
    const isAhead = this.published < frames.length && this.tape.oneIn(5);
    const publisher = isAhead ? undefined : this.tape.pick(publishers);
    if (publisher === undefined) {
      for (let burst = this.tape.choose(12); burst >= 0; burst--) this.publish(frames);
      return;
    }
    const queue = this.pending.get(publisher)!;
    const event = queue.shift()!;
    if (queue.length === 0) this.pending.delete(publisher);
    if (this.isLossy && this.tape.oneIn(6)) return;
    this.delivered.push(event);
    this.receive(event);
  }

  private publish(frames: Frame[]): void {
    const frame = frames[this.published];
    if (!frame) return;
    for (const { publisher, event } of frame.events) {
      const queue = this.pending.get(publisher);
      if (queue) queue.push(event);
      else this.pending.set(publisher, [event]);
    }
    this.published += 1;
  }

  private receive(event: ConversationEvent): void {
    const { shown } = this;
    const reduced = reduceEvent(shown.gateway, event);
    if (reduced.verdict === 'gap') {
      this.gaps += 1;
      shown.gateway = this.read();
      shown.page = reduce(shown.page, snapshotOf(shown.gateway));
    } else {
      shown.gateway = reduced.view;
      if ('event' in reduced) shown.page = reduce(shown.page, reduced.event);
    }
    this.onShown(shown);
  }
}

function snapshotOf(view: View) {
  const { conversation_id } = view;
  return { type: 'snapshot' as const, conversation_id, timestamp: '2026-01-01T00:00:00.000Z', view };
}

/** Checks that every shown text is the start of the real text, and that no call's state moves backwards. */
export class Watch {
  private readonly states = new Map<string, CallState>();

  constructor(private readonly world: World) {}

  /** @throws naming what is wrong. */
  check(view: View): void {
    for (const turn of view.turns) {
      for (const step of turn.steps) {
        const said = this.world.texts.get(`${turn.turn_id}:${step.n}:${step.attempt}`) ?? '';
        if (!said.startsWith(step.text))
          throw new Error(`Step ${step.n} of ${turn.turn_id} shows what it never said: ${step.text}`);
        for (const { tool_call_id, state } of step.calls) this.checkState(tool_call_id, state);
      }
    }
  }

  private checkState(toolCallId: string, state: CallState): void {
    const before = this.states.get(toolCallId);
    if (before && rankOf(state) < rankOf(before))
      throw new Error(`${toolCallId} went back from ${before} to ${state}`);
    if (before && rankOf(before) === 3 && before !== state)
      throw new Error(`${toolCallId} ended as ${before} and then as ${state}`);
    this.states.set(toolCallId, state);
  }
}

function rankOf(state: CallState): number {
  switch (state) {
    case 'awaiting_approval':
      return 0;
    case 'queued':
      return 1;
    case 'running':
    case 'awaiting_input':
      return 2;
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'unknown':
      return 3;
  }
}
