import { setTimeout as delay } from 'node:timers/promises';
import { DeafSocket, OPCODES } from '../../attack/deaf-socket.js';
import { PROVIDER_MODEL } from '../changing-provider.js';
import { sendMany } from '../load.js';
import { keepDoing, type Mend, type Provocation } from '../provocation.js';
import type { Site } from '../site.js';

const VIEWERS = 8;
/** The network keeps some megabytes for a client that does not read. */
const CONVERSATIONS = 4;
const LONG_ANSWER = `say ${Array.from({ length: 10 }, () => 'w'.repeat(6_000)).join(' ')}`;
const WAITING_TURNS = 60;
const MORE_STREAMS = 400;

const brokenTurns: Provocation = {
  says: 'the key of a provider is refused, and users keep asking it',
  fires: [{ alert: 'SwitchyardTurnsFail' }],
  provoke: (site) => askFailingProvider(site, 401),
};

const failingProvider: Provocation = {
  says: 'a provider answers every request with an error',
  fires: [{ alert: 'SwitchyardModelErrors', labels: { provider: 'anthropic' } }],
  provoke: (site) => askFailingProvider(site, 500),
};

async function askFailingProvider(site: Site, status: number): Promise<Mend> {
  site.provider.failsWith = status;
  const stop = keepDoing(async () => {
    await sendMany(site, ['hello', 'hello'], { options: { model: PROVIDER_MODEL } });
    await delay(300);
  });
  return async () => {
    site.provider.failsWith = undefined;
    await stop();
  };
}

const shortBudget: Provocation = {
  says: 'more answers at once than the budget of the model has streams',
  fires: [{ alert: 'SwitchyardModelRequestsWait' }],
  async provoke(site) {
    const contents = Array.from({ length: WAITING_TURNS }, () => 'count slowly to 300');
    await sendMany(site, contents);
    return async () => {
      await site.replaceAll('orchestrator', { CONFIG: await site.writeSettings(MORE_STREAMS) });
    };
  },
};

const deafViewers: Provocation = {
  says: 'clients stop reading while answers are written',
  fires: [{ alert: 'SwitchyardViewersTooSlow' }],
  async provoke(site) {
    const [gateway] = site.of('gateway');
    const writer = await site.view('dan');
    const token = await site.tokenOf('dan');
    const sent = await Promise.all(Array.from({ length: CONVERSATIONS }, () => writer.send('hello')));
    const conversations = sent.map(({ conversation_id }) => conversation_id);
    const sockets = await Promise.all(Array.from({ length: VIEWERS }, () => DeafSocket.open(gateway!.port)));
    for (const socket of sockets) {
      await socket.signIn(token);
      for (const conversation_id of conversations)
        socket.send(OPCODES.text, `42${JSON.stringify(['join', { conversation_id }])}`);
      socket.stopReading();
    }
    const writing = conversations.map((conversation_id) =>
      keepDoing(async () => {
        const { turn_id } = await writer.send(LONG_ANSWER, { conversation_id });
        await writer.ended(conversation_id, turn_id);
      }),
    );
    return async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all(writing.map((stop) => stop()));
      writer.close();
    };
  },
};

const refusedClient: Provocation = {
  says: 'a client keeps asking for a model that is not allowed',
  fires: [{ alert: 'SwitchyardLimitsRefuse', labels: { limit: 'models.allow' } }],
  async provoke(site) {
    const viewer = await site.view('dan');
    const message = { content: 'hello', options: { model: 'openai/forbidden' } };
    const stop = keepDoing(async () => {
      const answers = await Promise.all([1, 2, 3].map(() => viewer.request('message', message)));
      if (!answers.every((answer) => 'error' in answer)) throw new Error(JSON.stringify(answers));
      await delay(300);
    });
    return async () => {
      await stop();
      viewer.close();
    };
  },
};

export const turnProvocations = [brokenTurns, failingProvider, shortBudget, deafViewers, refusedClient];
