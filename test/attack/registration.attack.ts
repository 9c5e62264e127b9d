import type { Attack } from './attack.js';
import { startTarget, type Target } from './target.js';

/** Strangers must not make accounts where nobody let them, nor more than one with one invitation. */
export const registration: Attack = {
  name: 'registration',
  says: 'strangers register where it is closed, and many use one invitation at once',
  async run({ isShort }) {
    const people = isShort ? 4 : 20;
    return [
      {
        what: 'accounts made by 12 strangers behind a proxy, besides the first',
        figure: await registerByDefault(),
        unit: 'count',
        goal: { atMost: 0 },
      },
      {
        what: `accounts made by ${people} that use one invitation at once`,
        figure: await shareInvitation(people),
        unit: 'count',
        goal: { atMost: 1 },
      },
    ];
  },
};

/** Behind a proxy a default installation is not for this machine alone. Two are the first account at once. */
async function registerByDefault(): Promise<number> {
  const target = await startTarget({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  try {
    const first = await Promise.all(['ann', 'bob'].map((name) => register(target, name)));
    const late = await Promise.all(Array.from({ length: 10 }, (_, n) => register(target, `stranger ${n}`)));
    return [...first, ...late].filter((status) => status === 201).length - 1;
  } finally {
    await target.stop();
  }
}

async function shareInvitation(people: number): Promise<number> {
  const target = await startTarget({ env: { REGISTRATION: 'invite' } });
  try {
    const operator = await target.register('operator');
    const answer = await fetch(`${target.url}/api/admin/invitations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${operator}` },
      body: '{}',
    });
    const { token } = (await answer.json()) as { token: string };
    const statuses = await Promise.all(
      Array.from({ length: people }, (_, n) => register(target, `guest ${n}`, token)),
    );
    return statuses.filter((status) => status === 201).length;
  } finally {
    await target.stop();
  }
}

async function register({ url }: Target, username: string, invitation?: string): Promise<number> {
  const email = `${username.replace(' ', '')}@example.org`;
  const answer = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, username, password: 'correct horse', ...(invitation && { invitation }) }),
  });
  await answer.arrayBuffer();
  return answer.status;
}
