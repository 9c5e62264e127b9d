import { say, type Reply } from './reply.js';

const MAX_COUNT = 2_000;
const STORY_CHAPTERS = 20;

const PLACES = [
  'a yard of forty tracks',
  'the signal box on the hill',
  'a bridge over the slow river',
  'the roundhouse',
];
const VISITORS = [
  'a train without a number',
  'a messenger who had forgotten the message',
  'two engines asking for one track',
];
const TURNS = [
  'The keeper looked into the journal, because the journal is the truth and everything else is a hint.',
  'A lamp went out, and another keeper took over the lever exactly where the first one had left it.',
  'Nobody knew whether the last wagon had arrived, so they wrote down that nobody knew.',
];

/** Texts for trying out Stop and reconnecting: "count to 500", "tell me a long story", also "slowly". */
export function longText(question: string): Reply | undefined {
  const slowness = /\bslow(?:ly)?\b/i.test(question) ? 10 : 1;
  const count = /\bcount\b(?:\s+[a-z]+){0,8}?\s+(?:to|until)\s+(\d[\d,]*)/i.exec(question)?.[1];
  if (count !== undefined) return { ...countTo(Number(count.replaceAll(',', ''))), slowness };
  if (/\b(?:tell|write|give)\b.*\bstory\b|\blong\s+(?:story|text|answer)\b/i.test(question)) {
    return { ...say(story()), slowness };
  }
  return undefined;
}

function countTo(last: number): Reply {
  if (last < 1) return say('I count from 1 upwards.');
  if (last > MAX_COUNT) return say(`That is far: I count to ${MAX_COUNT} at most.`);
  return say(Array.from({ length: last }, (_, index) => index + 1).join(' '));
}

function story(): string {
  const chapters = Array.from({ length: STORY_CHAPTERS }, (_, index) => chapter(index));
  return [
    '# The Switchyard',
    ...chapters,
    'And when the sun came up, every wagon stood where the book said it stood.',
  ].join('\n\n');
}

function chapter(index: number): string {
  const place = PLACES[index % PLACES.length]!;
  const visitor = VISITORS[index % VISITORS.length]!;
  const turn = TURNS[(index * 2 + 1) % TURNS.length]!;
  const text = [
    `On night ${index + 1} there came to ${place} ${visitor}. The rails were cold, the wind smelled of iron and rain, and far away a whistle`,
    `answered another whistle until both of them agreed who should go first. ${turn} Then the points moved with a sound like a closing`,
    `book, the heavy wheels began to turn, and the yard went on with its work: one wagon, one track, one hand on the lever, and a line`,
    'in the journal for every one of them, written before anything was allowed to roll.',
  ].join(' ');
  return `## Chapter ${index + 1}\n\n${text}`;
}
