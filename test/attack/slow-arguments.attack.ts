import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '../e2e/standalone-process.js';
import type { Attack } from './attack.js';
import { CallUser } from './call-user.js';
import { startTarget } from './target.js';

/** With a pattern for addresses as it is found in many schemas, and a list whose items must differ. */
const MAIL_TOOL = `
const to = { type: 'string', pattern: '^([a-zA-Z0-9_\\\\-.]+)*@([a-zA-Z0-9_\\\\-.]+)\\\\.([a-zA-Z]{2,5})$' };
const about = { type: 'array', uniqueItems: true };
export default {
  definition: {
    own_name: 'send',
    description: 'Sends a mail.',
    input_schema: { type: 'object', properties: { to, about }, required: ['to'] },
    class: 'idempotent',
    timeout_ms: 5_000,
  },
  run: async ({ to }) => ({ status: 'success', data: { value: 'sent to ' + to } }),
};
`;

/** Nobody's arguments may switch a tool off, or the event loop. */
export const slowArguments: Attack = {
  name: 'slow-arguments',
  says: 'a user sends arguments that take for ever to check',
  async run() {
    const TOOLS_DIR = await newFolder();
    await writeFile(join(TOOLS_DIR, 'mail.tool.mjs'), MAIL_TOOL);
    const target = await startTarget({ env: { TOOLS_DIR } });
    try {
      const [mallory, ann] = [
        await CallUser.register(target, 'mallory'),
        await CallUser.register(target, 'ann'),
      ];
      // Whatever is done once is done.
      await ann.call('mail.send', { to: 'bob@example.org' });
      target.beginWatch();
      let refused = 0;
      const many = Array.from({ length: 4_500 }, (_, id) => ({ id }));
      const slow = { to: `${'a'.repeat(60)}!` };
      for (const args of [slow, slow, slow, { to: 'bob@example.org', about: many }]) {
        const { turn } = await mallory.call('mail.send', args);
        if (JSON.stringify(turn).includes('ValidationError')) refused++;
      }
      const waits = [mallory.call('mail.send', slow), mallory.call('mail.send', slow)];
      const askedAt = performance.now();
      const { turn } = await ann.call('mail.send', { to: 'bob@example.org' });
      const tookMs = performance.now() - askedAt;
      await Promise.all(waits);
      const { longestSilenceMs } = await target.endWatch();
      const metrics = await (await fetch(`${target.url}/metrics`)).text();
      const counted = Number(
        /^switchyard_refusals_total\{.*limit="slow_arguments".*\} (\d+)/m.exec(metrics)?.[1] ?? 0,
      );
      return [
        {
          what: 'of 3 slow calls, refused as not valid',
          figure: Math.min(refused, 3),
          unit: 'count',
          goal: { atLeast: 3 },
        },
        {
          what: 'correct calls of somebody else that then failed',
          figure: JSON.stringify(turn).includes('sent to bob@example.org') ? 0 : 1,
          unit: 'count',
          goal: { atMost: 0 },
        },
        { what: 'refusals that operators see', figure: counted, unit: 'count', goal: { atLeast: 3 } },
        { what: 'longest silence', figure: longestSilenceMs, unit: 'ms', goal: { atMost: 100 } },
        { what: 'a correct call meanwhile', figure: tookMs, unit: 'ms', goal: { atMost: 1_000 } },
      ];
    } finally {
      await target.stop();
    }
  },
};
