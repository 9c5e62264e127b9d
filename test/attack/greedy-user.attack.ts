import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Finding } from './attack.js';
import { CallUser } from './call-user.js';
import { startTarget, type Target } from './target.js';

const GREEDY_CALLS = 40;
const OTHERS = 10;
/** What runs at once; `http` has no other limit. */
const PLACES = 16;
/** What may wait of the greedy user when somebody else comes. */
const AHEAD = 4;

/** Nobody's slow calls may keep those of others waiting. */
export const greedyUser: Attack = {
  name: 'greedy-user',
  says: 'a user has forty slow pages fetched at once, and five users two hundred',
  async run({ isShort }) {
    const findings = [await countBefore(isShort ? 600 : 1_000)];
    if (isShort) return findings;
    const alone = await timeOfOthers(0);
    return [
      ...findings,
      ratio('time of ten users next to a greedy one, to their time alone', await timeOfOthers(1), alone, 2),
      ratio(
        'time of ten users next to five greedy ones, to their time alone',
        await timeOfOthers(5),
        alone,
        2,
      ),
      ratio(
        'time of a lone user with shares, to that without',
        await timeAlone(0.25),
        await timeAlone(1),
        1.1,
      ),
    ];
  },
};

/** How many pages of the greedy user are fetched between somebody else's message and his page. */
async function countBefore(pageMs: number): Promise<Finding> {
  return attackWith({ pageMs }, async (target, pages) => {
    const greedy = await CallUser.register(target, 'greedy');
    const ann = await CallUser.register(target, 'ann');
    await fetchPages(greedy, pages, 'greedy', GREEDY_CALLS);
    await pages.begun('greedy', PLACES);
    const before = pages.order.length;
    await fetchPages(ann, pages, 'ann', 1);
    await pages.begun('ann', 1);
    const figure = pages.order.indexOf('ann') - before;
    const what = 'pages of the greedy user that are fetched before one of somebody else';
    return { what, figure, unit: 'count', goal: { atMost: PLACES + AHEAD } };
  });
}

/** Milliseconds from a message to the end of its page, of ten users with two messages each, on average. */
async function timeOfOthers(greedyUsers: number): Promise<number> {
  return attackWith({ pageMs: 1_000 }, async (target, pages) => {
    const names = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`);
    const others = await registerAll(target, names(OTHERS, 'user'));
    const greedy = await registerAll(target, names(greedyUsers, 'greedy'));
    await Promise.all(greedy.map(([name, user]) => fetchPages(user, pages, name, GREEDY_CALLS)));
    for (const [name] of greedy) await pages.begun(name, 1);
    const times = await Promise.all(
      others.map(async ([name, user]) => {
        const askedAt = performance.now();
        for (let count = 1; count <= 2; count++) {
          await fetchPages(user, pages, name, 1);
          await pages.ended(name, count);
        }
        return (performance.now() - askedAt) / 2;
      }),
    );
    return times.reduce((sum, time) => sum + time, 0) / times.length;
  });
}

async function timeAlone(fair_share: number): Promise<number> {
  return attackWith({ pageMs: 500, settings: { fair_share } }, async (target, pages) => {
    const user = await CallUser.register(target, 'lone');
    const askedAt = performance.now();
    await fetchPages(user, pages, 'lone', GREEDY_CALLS);
    await pages.ended('lone', GREEDY_CALLS);
    return performance.now() - askedAt;
  });
}

function ratio(what: string, time: number, toTime: number, atMost: number): Finding {
  return { what, figure: time / toTime, unit: 'ratio', goal: { atMost } };
}

async function attackWith<T>(
  { pageMs, settings }: { pageMs: number; settings?: object },
  attack: (target: Target, pages: SlowPages) => Promise<T>,
): Promise<T> {
  const pages = await SlowPages.open(pageMs);
  const target = await startTarget({ env: { HTTP_FETCH_ALLOW: pages.host }, settings });
  try {
    return await attack(target, pages);
  } finally {
    await target.stop();
    pages.close();
  }
}

function registerAll(target: Target, names: string[]): Promise<[string, CallUser][]> {
  return Promise.all(
    names.map(async (name): Promise<[string, CallUser]> => [name, await CallUser.register(target, name)]),
  );
}

/** So many messages at once, each in a conversation of its own and a page to be fetched. Resolves when they are taken. */
async function fetchPages(user: CallUser, pages: SlowPages, name: string, count: number): Promise<void> {
  const call = { tool_name: 'http.fetch', arguments: { url: pages.urlOf(name) } };
  await Promise.all(
    Array.from({ length: count }, async () => {
      const made = await user.ask('POST', '/api/conversations', {});
      const { id } = (await made.json()) as { id: string };
      const turn = { content: 'a page', client_message_id: 'm1', options: { call } };
      const sent = await user.ask('POST', `/api/conversations/${id}/turns`, turn);
      if (sent.status !== 202) throw new Error(`${sent.status} ${await sent.text()}`);
      await sent.arrayBuffer();
    }),
  );
}

/** A server that takes its time, and sees whose pages are fetched when. */
class SlowPages {
  /** Of whom a page was begun, in order. */
  readonly order: string[] = [];
  private readonly ends: string[] = [];

  private constructor(private readonly server: Server) {}

  static async open(pageMs: number): Promise<SlowPages> {
    const server = createServer((request, response) => {
      const name = (request.url ?? '').slice(1);
      pages.order.push(name);
      setTimeout(() => {
        pages.ends.push(name);
        response.end('a page');
      }, pageMs);
    });
    const pages = new SlowPages(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return pages;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  urlOf(name: string): string {
    return `http://${this.host}/${name}`;
  }

  begun(name: string, count: number): Promise<void> {
    return this.until(this.order, name, count);
  }

  ended(name: string, count: number): Promise<void> {
    return this.until(this.ends, name, count);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async until(names: string[], name: string, count: number): Promise<void> {
    const giveUpAt = performance.now() + 60_000;
    while (names.filter((other) => other === name).length < count) {
      if (performance.now() > giveUpAt) throw new Error(`${count} pages of ${name} were not fetched`);
      await delay(10);
    }
  }
}
