import type { Device } from './device.js';
import type { World } from './world.js';

/** As a gateway acknowledged it. */
export interface Taken {
  conversation_id: string;
  turn_id: string;
}

interface Message {
  body: { conversation_id?: string; client_message_id: string; content: string };
  /** Where it is sent from, asked for each time. */
  device: () => Device;
  /** How often it must be acknowledged. */
  times?: number;
  pauseMs?: () => number;
}

const PAUSE_MS = 300;
const STOP_TRIES = 30;

/** Until a gateway has taken it: without an answer nobody knows whether it is a turn. */
export async function sendMessage(
  world: World,
  viewer: string,
  { body, device, times = 1, pauseMs = () => PAUSE_MS }: Message,
): Promise<Taken> {
  const { client_message_id, conversation_id } = body;
  for (let accepted = 0; ;) {
    world.request({ viewer, what: 'message', conversation_id, client_message_id });
    const answer = (await device().ask('message', body)) as Taken | undefined;
    if (answer) {
      world.request({ viewer, what: 'accepted', ...answer, client_message_id });
      if (++accepted === times) return answer;
    } else await world.clock.sleep(pauseMs());
  }
}

/** Until it is acknowledged: what may still be running. Undefined: nobody answered. */
export async function stopTurn(
  world: World,
  viewer: string,
  { turn_id, device }: { turn_id: string; device: () => Device },
): Promise<string[] | undefined> {
  for (let tries = 0; tries < STOP_TRIES; tries++) {
    world.request({ viewer, what: 'stop', turn_id });
    const answer = await device().ask('stop', { turn_id });
    if (answer) {
      const may_be_running = answer.may_be_running as string[];
      world.request({ viewer, what: 'stopped', turn_id, may_be_running });
      return may_be_running;
    }
    await world.clock.sleep(PAUSE_MS);
  }
  return undefined;
}
