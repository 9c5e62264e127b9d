import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.js';
import { CallUser } from './call-user.js';
import { startTarget } from './target.js';

/** Half of it is found if any of it is kept. */
const SECRET = 'nobody else may read this ';

/** What a user writes must not be kept where operators read it, nor outlive its conversation. */
export const deadLetters: Attack = {
  name: 'dead-letters',
  says: 'a user sends arguments that do not fit into a message, and deletes the conversation',
  async run() {
    const target = await startTarget();
    try {
      // The first account is the operator's.
      const [operator, mallory] = [
        await CallUser.register(target, 'olga'),
        await CallUser.register(target, 'mallory'),
      ];
      const secret = SECRET.repeat(Math.floor(1_048_200 / SECRET.length));
      const { conversationId, turn } = await mallory.call('web.web_search', { query: secret });
      const isRefused = JSON.stringify(turn).includes('bytes as JSON; a call takes at most');
      const letters = await readLetters(operator);
      await (await mallory.ask('DELETE', `/api/conversations/${conversationId}`)).arrayBuffer();
      await untilRemoved(mallory, conversationId);
      const left = JSON.stringify(await readLetters(operator));
      return [
        {
          what: 'refused as not valid, with the size',
          figure: isRefused ? 1 : 0,
          unit: 'count',
          goal: { atLeast: 1 },
        },
        { what: 'dead letters', figure: letters.length, unit: 'count', goal: { atMost: 0 } },
        {
          what: 'bytes of the text that an operator can read',
          figure: (left.split(SECRET).length - 1) * SECRET.length,
          unit: 'bytes',
          goal: { atMost: 0 },
        },
        {
          what: 'dead letters that name the deleted turn',
          figure: left.split(turn.turn_id).length - 1,
          unit: 'count',
          goal: { atMost: 0 },
        },
      ];
    } finally {
      await target.stop();
    }
  },
};

async function readLetters(operator: CallUser): Promise<unknown[]> {
  const path = '/api/admin/dead-letters';
  const listed = await operator.ask('GET', `${path}?limit=500`);
  const summaries = (await listed.json()) as { _id: string }[];
  return Promise.all(summaries.map(async ({ _id }) => (await operator.ask('GET', `${path}/${_id}`)).json()));
}

/** A letter comes after its call has ended. */
async function untilRemoved(user: CallUser, conversationId: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await user.ask('GET', `/api/conversations/${conversationId}`);
    await answer.arrayBuffer();
    if (answer.status === 404) return;
    await delay(50);
  }
}
