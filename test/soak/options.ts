/** What `npm run soak -- …` was asked for. */
export interface SoakOptions {
  minutes: number;
  /** Mean time between two strikes of the monkey. */
  killEveryMs: number;
  seed: number;
  /** Every message of the bus goes out twice. */
  twice: boolean;
  /** Percent of the bus's messages that never arrive. */
  drop: number;
  /** Conversations that are held at a time. */
  conversations: number;
  /** Where the evidence is written; a folder of its own by default. */
  folder: string | undefined;
}

const USAGE =
  'npm run soak -- [--minutes 5] [--kill-every 3s] [--seed <number>] [--twice] [--drop <percent>] ' +
  '[--conversations 10] [--folder <path>]';

/** Throws with the usage: a run that silently does something else than it was asked for proves nothing. */
export function parseOptions(args: readonly string[], randomSeed: () => number): SoakOptions {
  const options: SoakOptions = {
    minutes: 5,
    killEveryMs: 3_000,
    seed: randomSeed(),
    twice: false,
    drop: 0,
    conversations: 10,
    folder: undefined,
  };
  const rest = [...args];
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === '--twice') options.twice = true;
    else if (name === '--minutes') options.minutes = numberOf(name, rest.shift());
    else if (name === '--kill-every') options.killEveryMs = durationOf(name, rest.shift());
    else if (name === '--seed') options.seed = numberOf(name, rest.shift());
    else if (name === '--drop') options.drop = percentOf(name, rest.shift());
    else if (name === '--conversations') options.conversations = numberOf(name, rest.shift());
    else if (name === '--folder') options.folder = textOf(name, rest.shift());
    else throw new Error(`${name} is unknown.\n${USAGE}`);
  }
  return options;
}

function textOf(name: string, text: string | undefined): string {
  if (text === undefined || text === '') throw new Error(`${name} needs a value.\n${USAGE}`);
  return text;
}

function percentOf(name: string, text: string | undefined): number {
  const percent = numberOf(name, text);
  if (!Number.isInteger(percent) || percent > 99) throw new Error(`${name} needs 1 to 99.\n${USAGE}`);
  return percent;
}

function numberOf(name: string, text: string | undefined): number {
  const number = Number(textOf(name, text));
  if (!(number > 0 && Number.isFinite(number))) throw new Error(`${name} ${text} makes no sense.\n${USAGE}`);
  return number;
}

/** `3s`, `500ms`, `2m`. */
function durationOf(name: string, text: string | undefined): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(textOf(name, text)) ?? [];
  const unitMs = { ms: 1, s: 1_000, m: 60_000 }[unit ?? ''];
  if (unitMs === undefined) throw new Error(`${name} needs a time such as 3s or 500ms.\n${USAGE}`);
  return numberOf(name, amount) * unitMs;
}
