import { describe, expect, it } from '@jest/globals';
import type { Role } from '#contracts';
import { isNotFound } from '../../apps/gateway/errors/request-error.js';
import { LOCAL_USER } from '../../apps/gateway/people/auth/user.js';
import { Case } from './case.js';
import type { Device } from './device.js';
import type { World } from './world.js';

/** Whoever deletes dies at any point. */

const WRITES = ['updateConversation', 'commitStep', 'claim', 'settle', 'removeTurns', 'removeBindingsOf'];
const GONE_MS = 120_000;

describe.each(['gateway', 'orchestrator'] as const)(
  'a %s that is killed while it deletes a conversation',
  (kind) => {
    it.each([1, 2, 3, 4, 5, 6])(
      'after write %d: no call starts, and all content is removed',
      async (number) => {
        await Case.playToDeletion({ of: { gateway: 3 } }, async (play) => {
          const { world } = play;
          const turnId = await play.move('a message', play.send(play.bob, callsThatWait()));
          const isRunning = () => play.view(turnId)?.steps[0]?.calls[0]?.state === 'running';
          await play.move('a running call', play.until('a running call', isRunning));
          killAtWrite(play, kind, number);
          await play.move('the deletion', deleteIt(play));
          const deletedAt = world.clock.wall();
          await world.clock.advance(GONE_MS);
          const late = world.starts.filter(({ at }) => at > deletedAt);
          expect(late).toEqual([]);
          await checkGone(play);
        });
      },
    );
  },
);

it('a gateway that dies after marking a conversation as deleted: viewers elsewhere are told, and the content is removed', () =>
  Case.playToDeletion({ of: { gateway: 3 } }, async (play) => {
    killAtWrite(play, 'gateway', 1);
    await play.move('the deletion', deleteIt(play));
    await play.world.clock.advance(GONE_MS);
    await checkGone(play);
  }));

function callsThatWait(): Parameters<Case['message']>[0] {
  return [
    [
      { tool: 'once', takesMs: 5_000 },
      { tool: 'asked', takesMs: 10 },
    ],
  ];
}

/** Of the deletion: nothing else is written to this conversation then. */
function killAtWrite({ world }: Case, kind: Role, number: number): void {
  let writes = 0;
  world.onEffect = (processId, operation) => {
    const writer = world.living().find(({ id }) => id === processId);
    if (writer?.kind !== kind || !WRITES.includes(operation)) return;
    if (++writes === number) world.end(writer, 'kill');
  };
}

/** Somebody at a gateway of their own asks until the conversation cannot be found any more. */
async function deleteIt({ world, conversationId, ann, bob }: Case): Promise<void> {
  const taken = [ann, bob].map(({ gatewayPlace }) => gatewayPlace);
  for (let isGone = false; !isGone; await world.clock.sleep(500)) {
    const { gateway } = world.gateways().find(({ place }) => !taken.includes(place)) ?? world.gateways()[0]!;
    const over = () => void (isGone = true);
    gateway!.conversations
      .delete(LOCAL_USER, conversationId)
      .then(over, (error) => isNotFound(error) && over());
    await world.clock.sleep(3_000);
  }
}

async function checkGone({ world, conversationId, ann, bob }: Case): Promise<void> {
  const { database } = world;
  const conversation = await database.getConversation(conversationId);
  expect(conversation).toMatchObject({ title: '', deleted_at: expect.any(String) });
  expect(await database.listTurns(conversationId, { limit: 100 })).toEqual([]);
  const steps = await database.listSteps(conversationId, { after: 0, before: 1_000, limit: 100 });
  expect(steps.flatMap(({ calls }) => calls)).toEqual([]);
  expect(JSON.stringify(steps)).not.toMatch(/message-|r\d+\./);
  for (const device of [ann, bob]) expect(wasTold(world, device)).toBe(true);
}

/** By the event, or because it had to come back and found nothing to join. */
function wasTold({ requests }: World, { name, seen }: Device): boolean {
  return (
    seen.some((line) => 'event' in line && 'deleted' in line.event && line.event.deleted) ||
    requests.some((line) => line.what === 'refused' && line.viewer === name && line.code === 'not_found')
  );
}
