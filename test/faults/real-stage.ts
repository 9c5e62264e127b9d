import { expect } from '@jest/globals';
import { isEndedStatus, type TurnView } from '#contracts';
import { hasEnded } from '#turn';
import { checkTranscript } from '../e2e/transcript-check.js';
import { Viewer } from '../e2e/viewer.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { contentOf } from '../soak/plan.js';
import { waitFor } from '../services/wait-for.js';
import { readOverHttp } from './check-turn.js';
import type { ComparedCase } from './compared-cases.js';
import type { RealFleet } from './real-fleet.js';
import { playOn, type Stage, type StagedMessage } from './stage.js';
import { transcriptOf, type Transcript } from './transcript.js';

const STRUCK_MS = 30_000;
const ENDED_MS = 60_000;
const ANSWER_MS = 3_000;

/** The case on real processes. */
export async function playOnProcesses(fleet: RealFleet, compared: ComparedCase): Promise<Transcript> {
  const conversationId = await sayHello(fleet);
  const armed = await fleet.arm(compared);
  const stage = await RealStage.open({ fleet, armed, compared, conversationId });
  try {
    return await playOn(stage, compared);
  } finally {
    stage.close();
    await fleet.retire(armed);
  }
}

/** A conversation with one turn in it, before anything is armed. */
async function sayHello({ cluster }: RealFleet): Promise<string> {
  const viewer = await cluster.view();
  const content = contentOf({ name: 'hello', steps: [] });
  const { conversation_id, turn_id } = await viewer.send(content);
  await viewer.ended(conversation_id, turn_id);
  cluster.closeViewers();
  return conversation_id;
}

interface Setting {
  fleet: RealFleet;
  armed: SwitchyardProcess;
  compared: ComparedCase;
  conversationId: string;
}

class RealStage implements Stage {
  private constructor(
    private readonly setting: Setting,
    private readonly ann: Viewer,
    private readonly bob: Viewer,
  ) {}

  static async open(setting: Setting): Promise<RealStage> {
    const { url } = setting.fleet.cluster.gateways.at(-1)!;
    const [ann, bob] = await Promise.all([Viewer.connect(url), Viewer.connect(url)]);
    const stage = new RealStage(setting, ann, bob);
    await stage.join();
    return stage;
  }

  async send(message: StagedMessage): Promise<string> {
    const body = { conversation_id: this.setting.conversationId, ...message };
    const answer = await this.insist('message', body);
    return String(answer.turn_id);
  }

  stop(turnId: string): Promise<unknown> {
    return this.insist('stop', { turn_id: turnId });
  }

  view(turnId: string): TurnView | undefined {
    return this.ann.turn(this.setting.conversationId, turnId);
  }

  async until(what: string, isSo: () => boolean): Promise<void> {
    await waitFor(isSo, { what, timeoutMs: STRUCK_MS });
  }

  get isStruck(): boolean {
    const { point, kind } = this.setting.compared;
    return this.setting.armed.log.includes(`fault ${point}:${kind} strikes`);
  }

  async replace(): Promise<void> {
    await this.setting.fleet.replace(this.setting.armed, this.setting.compared);
    const areBack = () => this.viewers.every(({ socket }) => socket.connected);
    await waitFor(areBack, { what: 'both viewers being connected' });
    await this.join();
  }

  async ended(turnId: string): Promise<void> {
    const hasSeenAll = (viewer: Viewer) => {
      const turn = viewer.turn(this.setting.conversationId, turnId);
      return turn && isEndedStatus(turn.status) && turn.steps.every(({ calls }) => calls.every(hasEnded));
    };
    await waitFor(() => this.viewers.every(hasSeenAll), { what: 'every end', timeoutMs: ENDED_MS });
  }

  recover(): Promise<void> {
    return this.setting.fleet.recover(this.setting.armed, this.setting.compared);
  }

  async transcript(turnId: string): Promise<Transcript> {
    const { store } = this.setting.fleet.cluster;
    const areCachesRight = async () => (await store.getTurn(turnId))?.due_at === null;
    await waitFor(areCachesRight, { what: 'the end of the turn in the store' });
    await this.checkViews(turnId);
    const journal = await store.readJournal(turnId);
    return transcriptOf({
      journal: journal!,
      views: this.viewers.map((viewer) => viewer.turn(this.setting.conversationId, turnId)),
      starts: (id) => this.setting.fleet.starts(id),
    });
  }

  /** What both people hold is what newcomers and HTTP get at every gateway, and nobody was sent a hole or a repetition. */
  private async checkViews(turnId: string): Promise<void> {
    const { fleet, conversationId: conversation_id } = this.setting;
    for (const gateway of fleet.cluster.gateways)
      for (const viewer of this.viewers) {
        const view = await checkTranscript(viewer, gateway, { conversation_id, turn_id: turnId });
        expect(view).toEqual(await readOverHttp(gateway, conversation_id, turnId));
      }
  }

  close(): void {
    for (const viewer of this.viewers) viewer.close();
  }

  private get viewers(): Viewer[] {
    return [this.ann, this.bob];
  }

  private async join(): Promise<void> {
    await Promise.all(this.viewers.map((viewer) => viewer.join(this.setting.conversationId)));
  }

  /** Without an answer nobody knows whether it was taken: it is sent again until there is one. */
  private insist(request: string, body: object): Promise<Record<string, unknown>> {
    const ask = async () => {
      const answer = await this.bob.request(request, body, ANSWER_MS);
      return 'error' in answer ? undefined : answer;
    };
    return waitFor(ask, { what: `an answer to ${request}`, timeoutMs: ENDED_MS, intervalMs: 300 });
  }
}
