import { expect } from '@jest/globals';
import type { CallView, TurnView } from '#contracts';
import { say, type ScriptedReply } from '../fakes/messages-reply.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { ScriptedProvider } from './scripted-provider.js';
import { startStandalone } from './standalone-process.js';
import { Viewer } from './viewer.js';

/** A standalone process on a scripted provider, one viewer, and the conversation of the running test. */
export class Chat {
  conversationId: string | undefined;

  private constructor(
    readonly provider: ScriptedProvider,
    readonly process: SwitchyardProcess,
    readonly viewer: Viewer,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<Chat> {
    const provider = await ScriptedProvider.start();
    const process = await startStandalone({ ...provider.env, ...env });
    return new Chat(provider, process, await Viewer.connect(process.url));
  }

  async close(): Promise<void> {
    this.viewer.close();
    await this.process.kill('SIGTERM');
    await this.provider.close();
  }

  startConversation(): void {
    this.conversationId = undefined;
    this.viewer.received.length = 0;
  }

  /** Sends a message in the conversation of the test; the provider will answer with `replies`. */
  async send(content: string, ...replies: ScriptedReply[]): Promise<string> {
    this.provider.answer(...replies);
    const { conversationId: conversation_id } = this;
    const sent = await this.viewer.send(content, conversation_id === undefined ? {} : { conversation_id });
    this.conversationId = sent.conversation_id;
    return sent.turn_id;
  }

  /** The whole turn, as the viewer saw it. */
  async ask(content: string, ...replies: ScriptedReply[]): Promise<TurnView> {
    return this.ended(await this.send(content, ...replies));
  }

  ended(turnId: string): Promise<TurnView> {
    return this.viewer.ended(this.conversationId!, turnId);
  }

  /** The conversation goes on: its next request is one that the real API accepts. */
  async goesOn(): Promise<void> {
    const turn = await this.ask('and now?', say('Here ', 'I am.'));
    expect(statusAndText(turn)).toEqual(['completed', 'Here I am.']);
    expect(this.provider.violations).toEqual([]);
    expect(this.provider.unused).toBe(0);
  }

  /** The turn as HTTP reads it from the journal. */
  async readTurn(turnId: string): Promise<TurnView> {
    const response = await fetch(`${this.process.url}/api/conversations/${this.conversationId}/turns`);
    const { turns } = (await response.json()) as { turns: TurnView[] };
    return turns.find((turn) => turn.turn_id === turnId)!;
  }
}

/** Status and the text of all steps. */
export function statusAndText(turn: TurnView): [string, string] {
  return [turn.status, turn.steps.map((step) => step.text).join('')];
}

export function callsOf(turn: TurnView): CallView[] {
  return turn.steps.flatMap((step) => step.calls);
}

/** State, then the result or the kind of error. */
export function endsOf(turn: TurnView): [string, string | undefined][] {
  return callsOf(turn).map(({ state, result, error }) => [state, error?.error_type ?? result]);
}
