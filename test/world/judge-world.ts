import type { DeadLetter, Journal } from '#contracts';
import { DELIVERY_LIMIT } from '#messaging';
import { endingStep, openCalls, statusOf } from '#turn';
import type { FreshView, StoredConversation } from '../soak/evidence.js';
import { judgeApprovals } from '../soak/judge/approvals.js';
import { judgeCalls, recordCalls } from '../soak/judge/calls.js';
import type { Finding } from '../soak/judge/finding.js';
import { judgeTurns } from '../soak/judge/turns.js';
import { judgeViewers } from '../soak/judge/viewers.js';
import type { Random } from '../soak/random.js';
import { Device } from './device.js';
import { leftOfDeleted } from './left-of-deleted.js';
import { rowKey } from './promises.js';
import type { World } from './world.js';

const USER = 'local';
const ALL = 100_000;

/** Until nothing is open any more in the store. */
export async function settle(world: World): Promise<void> {
  const isOpen = (journal: Journal) =>
    !endingStep(journal) || openCalls(journal).length > 0 || journal.turn.status !== statusOf(journal);
  for (let waited = 0; waited < 300; waited++) {
    const stored = await readStore(world);
    const left = await leftOfDeleted(world.database, world.promises);
    if (left.length === 0 && !stored.some(({ journals }) => journals.some(isOpen))) return;
    await world.clock.advance(1_000);
  }
}

/** What is not as promised in a settled world whose viewers have left what they followed. */
export async function judgeWorld(
  world: World,
  devices: readonly Device[],
  random: Random,
): Promise<Finding[]> {
  const store = await readStore(world);
  const { lives, promises } = world;
  // What became of a deleted conversation can be seen only while it happens.
  const starts = world.starts.filter(
    ({ tool_call_id }) => !promises.deleted.has(promises.conversationOf(tool_call_id) ?? ''),
  );
  const requests = world.requests.filter(
    (request) => request.what !== 'accepted' || !promises.deleted.has(request.conversation_id),
  );
  const left = await leftOfDeleted(world.database, promises);
  const onOneClock = store.map((stored) => byWorldClock(world, stored));
  const records = recordCalls({ store: onOneClock, starts });
  const viewers = devices.map(({ name, seen }) => ({ name, seen }));
  const fresh = await lookAfresh(world, store, random);
  const seen = await judgeViewers({ viewers, fresh, store });
  world.ends.push(...store.flatMap(({ journals }) => journals.map((journal) => statusOf(journal))));
  const dead = await world.database.listDeadLetters(ALL);
  return [
    ...judgeTurns({ store, requests }),
    ...judgeCalls({ store: onOneClock, starts, lives, requests }, records).filter(
      ({ goal, what }) => goal !== 'unjustified unknown' || !isAboutOne(promises.leftWhilePaused, what),
    ),
    ...judgeApprovals({ requests }, records),
    ...seen.findings,
    ...dead
      .filter((letter) => !hasOutlivedItsBroker(world, letter))
      .map(({ queue, reason }): Finding => ({
        goal: 'broken rule',
        what: `a message died in ${queue}: ${reason}`,
      })),
    ...left.map((what): Finding => ({ goal: 'broken rule', what: `${what} was not removed` })),
    ...lives.flatMap((event): Finding[] =>
      event.what === 'died' && event.by === 'itself'
        ? [{ goal: 'complaint', what: `${event.place} ended by itself` }]
        : [],
    ),
  ];
}

async function readStore({ database }: World): Promise<StoredConversation[]> {
  const conversations = await database.listConversations(USER, { skip: 0, limit: ALL });
  return Promise.all(
    conversations.map(async (conversation) => {
      const turns = await database.listTurns(conversation._id, { limit: ALL });
      return { conversation, journals: await database.readJournals(conversation._id, turns) };
    }),
  );
}

/** The rows at the times at which they were written: their own are of clocks that are apart. */
function byWorldClock(
  { promises: { writtenAt } }: World,
  { conversation, journals }: StoredConversation,
): StoredConversation {
  const restamp = <T extends { _id: string; at: string }>(
    collection: Parameters<typeof rowKey>[0],
    rows: T[],
  ) =>
    rows.map((row) => ({
      ...row,
      at: new Date(writtenAt.get(rowKey(collection, row._id)) ?? Date.parse(row.at)).toISOString(),
    }));
  return {
    conversation,
    journals: journals.map(({ turn, steps, claims, outcomes, answers }) => ({
      turn,
      steps: restamp('steps', steps),
      claims: restamp('claims', claims),
      outcomes: restamp('outcomes', outcomes),
      answers: restamp('answers', answers),
    })),
  };
}

/** What somebody is shown who looks at each conversation for the first time. */
async function lookAfresh(world: World, store: StoredConversation[], random: Random): Promise<FreshView[]> {
  const newcomer = new Device(world, 'newcomer', USER, random);
  for (const { conversation } of store) newcomer.follow(conversation._id);
  const sawAll = () => store.every(({ conversation }) => newcomer.views.has(conversation._id));
  await world.clock.runUntil('a newcomer is shown every conversation', sawAll, 60_000);
  return [...newcomer.views.values()].map((view) => ({ gateway: 'any', view }));
}

/** Each restart returns a message that is in hand, and a broker gives up on one that is returned too often. */
function hasOutlivedItsBroker({ brokerRestarts }: World, { reason }: DeadLetter): boolean {
  return reason === 'delivery_limit' && brokerRestarts > DELIVERY_LIMIT;
}

function isAboutOne(ids: ReadonlySet<string>, what: string): boolean {
  return [...ids].some((id) => what.includes(id));
}
