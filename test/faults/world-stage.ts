import { Case } from '../world/case.js';
import type { Kind } from '../world/kinds.js';
import { sendMessage } from '../world/requests.js';
import type { ComparedCase } from './compared-cases.js';
import type { Role } from './fault-cases.js';
import { playOn, type Stage, type StagedMessage } from './stage.js';
import { transcriptOf, type Transcript } from './transcript.js';

const KIND_OF = { gateway: 'gateway', orchestrator: 'orchestrator', 'tool-worker': 'worker' } as const;
const BLOW_OF = { kill: 'kill', freeze: 'freeze', drop_connection: 'cut_bus' } as const;
/** It counts as dead, and everything has been settled without it. */
const FROZEN_MS = 40_000;
const LIVES_ON_MS = 5_000;

/** The case in a simulated world, which also asks for all of its promises. */
export async function playInWorld(role: Role, compared: ComparedCase): Promise<Transcript> {
  const kind = KIND_OF[role];
  let transcript: Transcript | undefined;
  await Case.play({ of: { [kind]: 1 } }, async (play) => {
    const how = BLOW_OF[compared.kind];
    play.arm({ how, kind, point: compared.point, afterMs: 0, forMs: how === 'freeze' ? FROZEN_MS : 0 });
    transcript = await playOn(new WorldStage(play, kind, compared.kind), compared);
  });
  return transcript!;
}

class WorldStage implements Stage {
  constructor(
    private readonly play: Case,
    private readonly kind: Kind,
    private readonly how: ComparedCase['kind'],
  ) {}

  async send(message: StagedMessage): Promise<string> {
    const { world, bob, conversationId } = this.play;
    const body = { conversation_id: conversationId, ...message };
    return (await sendMessage(world, bob.name, { body, device: () => bob })).turn_id;
  }

  stop(turnId: string): Promise<unknown> {
    return this.play.stop(this.play.bob, turnId);
  }

  view(turnId: string) {
    return this.play.view(turnId);
  }

  until(what: string, isSo: () => boolean): Promise<void> {
    return this.play.until(what, isSo);
  }

  get isStruck(): boolean {
    return this.play.isStruck;
  }

  async replace(): Promise<void> {
    if (this.how === 'drop_connection') return;
    const next = this.play.start(this.kind);
    await this.until('the next process', () => next.isReady);
  }

  ended(turnId: string): Promise<void> {
    const { ann, bob } = this.play;
    return this.until('every end', () => [ann, bob].every((device) => device.hasSeenAll([turnId])));
  }

  async recover(): Promise<void> {
    await this.play.thawed();
    await this.play.world.clock.sleep(LIVES_ON_MS);
  }

  async transcript(turnId: string): Promise<Transcript> {
    const { world, ann, bob } = this.play;
    return transcriptOf({
      journal: await this.play.journal(turnId),
      views: [ann.turn(turnId), bob.turn(turnId)],
      starts: (id) => world.starts.filter(({ tool_call_id }) => tool_call_id === id).length,
    });
  }
}
