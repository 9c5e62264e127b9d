import type { TurnView } from '#contracts';
import { contentOf } from '../soak/plan.js';
import type { ComparedCase } from './compared-cases.js';
import type { Transcript } from './transcript.js';

export interface StagedMessage {
  client_message_id: string;
  content: string;
}

/**
 * Where a case is played: a fleet with one process of the kind that is struck, and two people who follow one
 * conversation. One call in hand can be in that process only.
 */
export interface Stage {
  /** Bob's message, sent again until a gateway has taken it; the turn. */
  send(message: StagedMessage): Promise<string>;
  /** Bob's Stop, pressed again until it is acknowledged. */
  stop(turnId: string): Promise<unknown>;
  /** As Ann sees it. */
  view(turnId: string): TurnView | undefined;
  until(what: string, isSo: () => boolean): Promise<void>;
  readonly isStruck: boolean;
  /** Another process of the kind comes, unless the struck one goes on. */
  replace(): Promise<void>;
  /** Resolves when both people have seen the end of the turn and of its calls. */
  ended(turnId: string): Promise<void>;
  /** What was frozen goes on, and does what it had in hand. */
  recover(): Promise<void>;
  transcript(turnId: string): Promise<Transcript>;
}

/** The conversation of every case: what is struck in it is armed already. */
export async function playOn(stage: Stage, { point, calls, isStopped }: ComparedCase): Promise<Transcript> {
  const name = 'compared';
  const sending = stage.send({ client_message_id: name, content: contentOf({ name, steps: [calls] }) });
  const stopping = isStopped && stopOn(stage, await sending);
  await stage.until(`a strike at ${point}`, () => stage.isStruck);
  await stage.replace();
  const turnId = await sending;
  await stopping;
  await stage.ended(turnId);
  await stage.recover();
  return stage.transcript(turnId);
}

async function stopOn(stage: Stage, turnId: string): Promise<unknown> {
  const states = () => String(stage.view(turnId)?.steps[0]?.calls.map(({ state }) => state));
  await stage.until('a call to approve', () => states() === 'running,awaiting_approval');
  return stage.stop(turnId);
}
