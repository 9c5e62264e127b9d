import type { Block, Call, Journal, Step, StopReason } from '#contracts';
import { decide } from '../rules/decide.js';
import { endingStep, holderOf, nextStepNumber } from '../journal/journal.js';
import { stepAttempt } from '../rules/turn-rules.js';
import { isShownStep, type PartialText } from '../view/view-of.js';
import { CONVERSATION_ID } from './rows.js';
import { endsOf, eventsOfCommit } from './step-events.js';
import type { World } from './world.js';

const CHUNKS = ['Hello', ' ', 'two 😀', '\n', '😀😀', 'a longer piece of text. ', '  '] as const;

interface Streaming {
  n: number;
  retry: number;
  text: string;
  sent: number;
}

/** An orchestrator that drives one turn under one claim, one small step at a time. */
export class SimulatedDriver {
  isGone = false;
  private streaming: Streaming | undefined;

  constructor(
    private readonly world: World,
    readonly process: string,
    readonly journal: Journal,
    private readonly claimAttempt: number,
  ) {}

  get partial(): PartialText | undefined {
    if (!this.streaming) return undefined;
    const { n, text } = this.streaming;
    return { turn_id: this.journal.turn._id, step: n, attempt: this.attempt, text };
  }

  /** One small step; `haste`: no new calls, no mishaps. */
  act(haste: boolean): void {
    if (this.streaming) return this.stream(this.streaming, haste);
    const action = decide(this.journal, this.world.situation(this.process));
    this.world.onDecision(this.journal, action);
    switch (action.do) {
      case 'call_model':
        return this.startStep(action.n);
      case 'commit_cancel':
        return this.commitCancel();
      case 'commit_fail': {
        const error = { code: action.code, message: action.message };
        return this.commit(this.row('fail', [], { attempt: 0, error }));
      }
      case 'await_calls':
        for (const decision of action.calls) this.world.carryOut(this.process, this.journal, decision);
        return;
      case 'end':
        this.world.endTurn(this.process, this.journal);
        this.isGone = true;
    }
  }

  /** Stop: the row keeps what was said. */
  commitCancel(): void {
    if (endingStep(this.journal)) return;
    const blocks = this.streaming ? spoken(this.streaming.text) : [];
    this.commit(this.row('cancel', blocks, { attempt: this.streaming ? this.attempt : 0 }));
  }

  private get attempt(): number {
    return stepAttempt(this.claimAttempt, this.streaming?.retry ?? 0);
  }

  private get place() {
    const { world, journal, streaming } = this;
    const turn = { conversation_id: CONVERSATION_ID, turn_id: journal.turn._id, timestamp: world.at };
    return { ...turn, step: streaming?.n ?? 0, attempt: this.attempt };
  }

  private startStep(n: number): void {
    this.streaming = { n, retry: 0, text: '', sent: 0 };
    const settled = endsOf(this.journal, this.journal.steps.at(-1));
    this.world.emit(this.process, { type: 'step_started', ...this.place, settled });
  }

  private stream(streaming: Streaming, haste: boolean): void {
    const { world } = this;
    switch (haste ? 9 : world.tape.choose(10)) {
      case 0:
        world.emit(this.process, { type: 'thinking', ...this.place, content: 'hm', offset: 0 });
        return;
      case 1:
        return this.restart(streaming);
      case 8:
      case 9:
        return this.finish(streaming, haste);
      default:
        streaming.text += world.tape.pick(CHUNKS);
        world.texts.set(`${this.journal.turn._id}:${streaming.n}:${this.attempt}`, streaming.text);
        if (!world.tape.oneIn(3)) this.flush(streaming);
    }
  }

  private restart(streaming: Streaming): void {
    const { step: _step, attempt: _attempt, ...turn } = this.place;
    this.world.emit(this.process, { type: 'waiting', ...turn, reason: 'busy', retry_after_ms: 10 });
    Object.assign(streaming, { retry: streaming.retry + 1, text: '', sent: 0 });
    if (!this.world.tape.oneIn(4)) this.world.emit(this.process, { type: 'step_restarted', ...this.place });
  }

  private flush(streaming: Streaming): void {
    const content = streaming.text.slice(streaming.sent);
    if (content === '') return;
    this.world.emit(this.process, { type: 'token', ...this.place, content, offset: streaming.sent });
    streaming.sent = streaming.text.length;
  }

  private finish(streaming: Streaming, haste: boolean): void {
    this.flush(streaming);
    const { tape } = this.world;
    const { attempt } = this;
    const text = spoken(streaming.text);
    if (!haste && tape.oneIn(10)) {
      const error = { code: 'model_error' as const, message: 'The model failed.' };
      return this.commit(this.row('fail', text, { attempt, error }));
    }
    if (!haste && streaming.n === 1 && streaming.text === '' && tape.oneIn(2)) {
      // A summary of the history before the turn; it is not streamed.
      const said: Block[] = tape.oneIn(2) ? [] : [{ type: 'text', text: tape.pick(CHUNKS)! }];
      return this.commit(this.row('summary', said, { attempt }));
    }
    const raw: Block[] = streaming.text === '' ? [] : [{ type: 'text', text: streaming.text }];
    const asked = haste ? [] : Array.from({ length: tape.choose(4) }, () => this.newCall());
    const uses = asked.map(({ tool_call_id, arguments: args }): Block => {
      return { type: 'tool_use', tool_call_id, name: 'math__add', arguments: args };
    });
    const pauses = !haste && asked.length === 0 && tape.oneIn(4);
    const stop_reason: StopReason = asked.length > 0 ? 'tool_use' : pauses ? 'pause_turn' : 'end_turn';
    const usage = { input_tokens: 9, output_tokens: 4, cached_tokens: 0 };
    const content = { attempt, calls: asked, stop_reason, usage };
    this.commit(this.row('model', [...raw, ...uses], content));
  }

  private newCall(): Call {
    const { tape } = this.world;
    const name = tape.pick(['math.add', 'filesystem.read_file'])!;
    return {
      tool_call_id: this.world.newCallId(),
      tool_name: name,
      display_name: `mcp:${name}`,
      source: 'local',
      arguments: tape.oneIn(4) ? { text: 'long "text" '.repeat(500) } : { a: 2 },
      class: tape.pick(['once', 'read', 'idempotent', 'keyed'] as const)!,
      timeout_ms: 1_000,
      approval: tape.oneIn(4) ? 'required' : 'none',
      ...(tape.oneIn(8) ? { refusal: { error_type: 'ToolNotFound', error_message: 'no such tool' } } : {}),
    };
  }

  private row(kind: Step['kind'], blocks: Block[], content: Partial<Step> & { attempt: number }): Step {
    const { turn } = this.journal;
    const n = this.streaming?.n ?? nextStepNumber(this.journal);
    const ids = { _id: `${turn._id}:${n}`, turn_id: turn._id, conversation_id: CONVERSATION_ID };
    const empty = { calls: [], stop_reason: null, usage: null };
    return { ...ids, turn_number: turn.number, n, kind, blocks, ...empty, ...content, at: this.world.at };
  }

  private commit(row: Step): void {
    this.streaming = undefined;
    const { won } = this.world.commit(this.journal, row);
    if (won && isShownStep(row)) {
      for (const event of eventsOfCommit(this.journal, row)) this.world.emit(this.process, event);
    }
    const isSuperseded = (holderOf(this.journal, this.journal.turn._id)?.n ?? 0) > this.claimAttempt;
    if (!won && isSuperseded) this.isGone = true;
  }
}

/** Partial text as a `cancel` or `fail` row keeps it. */
function spoken(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}
