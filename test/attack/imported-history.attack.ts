import type { Attack } from './attack.js';
import { startTarget } from './target.js';

const EXCHANGES = 500;
const TEXT = 'x'.repeat(3_800);
const REQUESTS = 5;

/** What is kept counts, and keeping it silences nobody. */
export const importedHistory: Attack = {
  name: 'imported-history',
  says: 'a user brings along 500 exchanges with each message',
  async run() {
    const target = await startTarget();
    try {
      const token = await target.register('ann');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      target.beginWatch();
      const statuses: number[] = [];
      for (let sent = 0; sent < REQUESTS; sent++) {
        const body = JSON.stringify({ model: 'switchyard', messages: historyOf(sent) });
        const answer = await fetch(`${target.url}/v1/chat/completions`, { method: 'POST', headers, body });
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
      const { longestSilenceMs } = await target.endWatch();
      const accepted = statuses.filter((status) => status === 200).length;
      return [
        {
          what: `accepted of ${REQUESTS} histories of 1,000 rows`,
          figure: accepted,
          unit: 'count',
          goal: { atMost: 1 },
        },
        {
          what: 'accepted of the first one',
          figure: statuses[0] === 200 ? 1 : 0,
          unit: 'count',
          goal: { atLeast: 1 },
        },
        { what: 'longest silence', figure: longestSilenceMs, unit: 'ms', goal: { atMost: 100 } },
      ];
    } finally {
      await target.stop();
    }
  },
};

/** Each another one, as a known one would be gone on with. */
function historyOf(salt: number): { role: string; content: string }[] {
  const said = Array.from({ length: EXCHANGES }, (_, i) => [
    { role: 'user', content: `${salt} ${i} ${TEXT}` },
    { role: 'assistant', content: `${i} ${TEXT}` },
  ]).flat();
  return [...said, { role: 'user', content: 'hello' }];
}
