import { switchIdOf, type SwitchKind } from '#contracts';
import { LOCAL_USER } from '../../apps/gateway/people/auth/user.js';
import type { Random } from '../soak/random.js';
import { TOOLSET, WORLD_TOOLS } from './simulated-tools.js';
import type { World } from './world.js';

/** Something that is switched after `afterMs`, and undone `forMs` later. */
export interface PlannedSwitch {
  kind: Exclude<SwitchKind, 'logs'>;
  afterMs: number;
  forMs: number;
}

const LATEST_MS = 60_000;
const KINDS: PlannedSwitch['kind'][] = ['toolset', 'tool', 'tool', 'process', 'process', 'turns'];

export function drawSwitches(random: Random, count: number, lastMs: number): PlannedSwitch[] {
  return Array.from({ length: count }, () => ({
    kind: random.pick(KINDS),
    afterMs: random.float() * lastMs,
    forMs: random.pick([500, 5_000, 20_000, 60_000]) * random.between(0.5, 1.5),
  }));
}

/** Switches what the plan says, by a gateway if one is there; what it has undone it has undone in the store. */
export class Operator {
  constructor(
    private readonly world: World,
    planned: readonly PlannedSwitch[],
  ) {
    for (const one of planned) world.clock.after(one.afterMs, () => void this.play(one));
  }

  private async play({ kind, forMs }: PlannedSwitch): Promise<void> {
    const { world } = this;
    const name = this.chooseName(kind);
    if (world.isCalm || name === undefined) return;
    world.note(`operator sets ${kind} ${name} for ${Math.round(forMs)}`);
    // A gateway that is frozen writes it later, and one that dies may never answer.
    for (const afterMs of [forMs, forMs + LATEST_MS])
      world.clock.after(afterMs, () => void this.undo(switchIdOf(kind, name)));
    const [gateway] = world.gateways();
    await gateway?.gateway?.switchBoard.set(LOCAL_USER, { kind, name }).catch(() => undefined);
  }

  private async undo(id: string): Promise<void> {
    const { world } = this;
    world.note(`operator undoes ${id}`);
    await world.database.removeSwitch(id);
    world.noteEffect('', 'removeSwitch', [id], undefined);
  }

  private chooseName(kind: PlannedSwitch['kind']): string | undefined {
    const { random } = this.world;
    if (kind === 'turns') return 'all';
    if (kind === 'toolset') return TOOLSET;
    if (kind === 'tool') return `${TOOLSET}.${WORLD_TOOLS[random.choose(WORLD_TOOLS.length)]}`;
    const living = this.world.living();
    return living[random.choose(living.length)]?.id;
  }
}
