import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

const ADDRESSES = [4, 40];
const TRIES = 12;
const NAMES = ['ann', 'bob'];

/** Checks of passwords are slow on purpose: strangers who ask for many must not keep others from signing in. */
export const signIn: Attack = {
  name: 'sign-in',
  says: 'strangers send wrong passwords from 4 and from 40 addresses while others sign in',
  async run({ isShort }) {
    const target = await startTarget({ env: { TRUSTED_PROXIES: '127.0.0.1', REGISTRATION: 'open' } });
    try {
      // Tries under way count as wrong until they are known to be right: not more than ten for one account.
      for (const name of NAMES) await target.register(name);
      const findings = [];
      for (const addresses of isShort ? ADDRESSES.slice(0, 1) : ADDRESSES) {
        const failed = await attackFrom(target, addresses);
        findings.push({
          what: `failed of ${TRIES} correct sign-ins while ${addresses} addresses send wrong passwords`,
          figure: failed,
          unit: 'count' as const,
          goal: { atMost: 0 },
        });
      }
      return findings;
    } finally {
      await target.stop();
    }
  },
};

/** A refused request is sent again after this: the attack is on the server, not on the machine that both share. */
const PAUSE_MS = 50;

/** Every address keeps 30 requests open. Every correct sign-in comes from an address of its own. */
async function attackFrom(target: Target, addresses: number): Promise<number> {
  let isOver = false;
  const keepAsking = async (index: number): Promise<void> => {
    const address = `10.${addresses}.0.${index % addresses}`;
    for (let count = 0; !isOver && target.process.isRunning; count++)
      if ((await askToken(target, address, `nobody-${index}-${count}`)) !== 401) await delay(PAUSE_MS);
  };
  for (let index = 0; index < addresses * 30; index++) void keepAsking(index);
  // By then the flood waits in line.
  await askToken(target, `10.${addresses}.0.0`, 'nobody');
  const tries = Array.from({ length: TRIES }, (_, count) =>
    askToken(target, `10.${addresses}.1.${count}`, NAMES[count % NAMES.length]!),
  );
  const failed = (await Promise.all(tries)).filter((status) => status !== 200).length;
  isOver = true;
  return failed;
}

/** The status; 0 without an answer. */
async function askToken({ url }: Target, address: string, username: string): Promise<number> {
  try {
    const answer = await fetch(`${url}/api/auth/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username, password: 'correct horse' }).toString(),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
