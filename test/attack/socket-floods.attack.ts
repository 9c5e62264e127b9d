import type { Attack, Finding } from './attack.js';
import { DeafSocket, OPCODES } from './deaf-socket.js';
import { startTarget, type Target } from './target.js';

const MB = 1_000_000;

interface Flood {
  what: string;
  path?: (token: string) => string;
  isSignedIn: boolean;
  /** Is sent once, before the flood. */
  announcement?: string;
  opcode: number;
  payload: string;
  megabytes: number;
  /** Costs no memory, so that only the bytes of a minute end it. */
  isHarmless?: boolean;
}

const FLOODS: Flood[] = [
  ...['first', 'second'].map((which) => ({
    what: `${which} stranger asks for namespaces that do not exist`,
    isSignedIn: false,
    opcode: OPCODES.text,
    payload: '40/x,',
    megabytes: 60,
  })),
  {
    what: 'user sends events that do not exist',
    isSignedIn: true,
    opcode: OPCODES.text,
    payload: '421["x"]',
    megabytes: 40,
  },
  {
    what: 'user asks for namespaces that do not exist',
    isSignedIn: true,
    opcode: OPCODES.text,
    payload: '40/x,',
    megabytes: 20,
  },
  {
    what: 'user sends all attachments but the last one',
    isSignedIn: true,
    announcement: `4510-["ping",${placeholders(10)}]`,
    opcode: OPCODES.binary,
    payload: 'x'.repeat(MB),
    megabytes: 9,
  },
  {
    what: 'stranger sends WebSocket pings',
    isSignedIn: false,
    opcode: OPCODES.ping,
    payload: '',
    megabytes: 20,
  },
  {
    what: 'user sends WebSocket pings',
    isSignedIn: true,
    opcode: OPCODES.ping,
    payload: '',
    megabytes: 20,
    isHarmless: true,
  },
  {
    what: 'user sends pings to /ws/chat',
    path: (token) => `/ws/chat?token=${token}`,
    isSignedIn: true,
    opcode: OPCODES.text,
    payload: '{"type":"ping"}',
    megabytes: 20,
  },
];

/** What a client does not read must not be kept for it. */
export const socketFloods: Attack = {
  name: 'socket-floods',
  says: 'clients send up to 60 MB of packets that are answered or kept, and read no answer',
  async run({ isShort }) {
    const target = await startTarget({ heapMiB: 512 });
    const open: DeafSocket[] = [];
    try {
      const token = await target.register('ann');
      const startMiB = target.rssMiB();
      target.beginWatch();
      const findings: Finding[] = [];
      for (const flood of FLOODS) {
        const socket = await begin(target, token, flood);
        open.push(socket);
        findings.push(...(await carryOut(target, socket, flood, isShort)));
      }
      const { isAlive, longestSilenceMs, peakMiB } = await target.endWatch();
      return [
        { what: 'processes that died', figure: isAlive ? 0 : 1, unit: 'count', goal: { atMost: 0 } },
        ...findings,
        { what: 'growth of resident memory', figure: peakMiB - startMiB, unit: 'MiB', goal: { atMost: 100 } },
        { what: 'longest silence', figure: longestSilenceMs, unit: 'ms', goal: { atMost: 1_000 } },
      ];
    } finally {
      for (const socket of open) socket.destroy();
      await target.stop();
    }
  },
};

async function begin(
  target: Target,
  token: string,
  { path, isSignedIn, announcement }: Flood,
): Promise<DeafSocket> {
  const socket = await DeafSocket.open(target.port, { path: path?.(token) });
  if (isSignedIn && !path) await socket.signIn(token);
  socket.stopReading();
  if (announcement !== undefined) socket.send(OPCODES.text, announcement);
  return socket;
}

function placeholders(count: number): string {
  return Array.from({ length: count }, (_, num) => JSON.stringify({ _placeholder: true, num })).join();
}

async function carryOut(
  target: Target,
  socket: DeafSocket,
  flood: Flood,
  isShort: boolean,
): Promise<Finding[]> {
  const { what, opcode, payload, megabytes, isHarmless = false } = flood;
  const before = target.readBytes();
  await socket.flood(opcode, payload, (isShort ? Math.min(megabytes, 20) : megabytes) * MB);
  if (isHarmless) return [];
  const figure = target.readBytes() - before;
  return [{ what: `read when a ${what}`, figure, unit: 'bytes', goal: { atMost: 4 * MB } }];
}
