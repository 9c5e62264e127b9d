import type { Run } from '../evidence.js';
import type { Goal } from './finding.js';
import type { Verdict } from './judge.js';

const GOALS: Goal[] = [
  'lost',
  'doubled',
  'unjustified unknown',
  'transcript difference',
  'characters lost or repeated',
  'broken rule',
  'complaint',
];
const SHOWN_PER_GOAL = 10;

/** The judge's printout; `docs/testing.md` says what each line means. */
export function printVerdict(run: Run, verdict: Verdict): string {
  const { recovery } = verdict;
  const lines = [
    ['command', `${run.command} (--seed ${run.seed})`],
    ['lasted', `${minutes(run.calmAt - run.startedAt)}, then ${seconds(run.endedAt - run.calmAt)} of calm`],
    ['strikes', list(verdict.strikes)],
    ['model requests', `${run.modelRequests}`],
    ['turns accepted', `${verdict.turnsAccepted}`],
    ['turns ended', list(verdict.turnsEnded)],
    ['calls by outcome', list(verdict.callsByOutcome)],
    ['approvals', list(verdict.approvals)],
    ['starts per call, most', `${list(verdict.startsPerCall)}; started again: ${verdict.startsAgain}`],
    ['unknown outcomes', `${verdict.unknown}, unjustified: ${numberOf(verdict, 'unjustified unknown')}`],
    ['transcripts compared', `${verdict.compared}, different: ${numberOf(verdict, 'transcript difference')}`],
    ['viewers’ characters', `lost: ${verdict.lostCharacters}, repeated: ${verdict.repeatedCharacters}`],
    [
      'longest recovery',
      recovery
        ? `${seconds(recovery.longestMs)} (${recovery.turnId}, after: ${recovery.after}, and ${recovery.moreStrikes} more strikes)`
        : 'none',
    ],
    ...verdict.memory.map(({ kind, livedMs, lastMib, mibPerMinute }) => [
      `memory, ${kind}`,
      `${mibPerMinute === undefined ? 'lived too short to tell' : `${mibPerMinute.toFixed(2)} MiB/min`}, ` +
        `${Math.round(lastMib)} MiB after ${minutes(livedMs)}`,
    ]),
    ...GOALS.map((goal) => [
      `goal: 0 × ${goal}`,
      numberOf(verdict, goal) === 0 ? 'met' : `MISSED: ${numberOf(verdict, goal)}`,
    ]),
  ];
  const width = Math.max(...lines.map(([name]) => name!.length));
  const table = lines.map(([name, text]) => `${name!.padEnd(width)}  ${text}`);
  return [...table, ...printFindings(verdict)].join('\n');
}

function printFindings({ findings }: Verdict): string[] {
  return GOALS.flatMap((goal) => {
    const own = findings.filter((finding) => finding.goal === goal);
    const more = own.length - SHOWN_PER_GOAL;
    return [
      ...own.slice(0, SHOWN_PER_GOAL).map(({ what }) => `  ${goal}: ${what}`),
      ...(more > 0 ? [`  ${goal}: and ${more} more`] : []),
    ];
  });
}

function numberOf({ findings }: Verdict, goal: Goal): number {
  return findings.filter((finding) => finding.goal === goal).length;
}

function list(counts: Record<string, number>): string {
  const entries = Object.entries(counts);
  return entries.length === 0 ? 'none' : entries.map(([name, number]) => `${name} ${number}`).join(', ');
}

function minutes(ms: number): string {
  return `${(ms / 60_000).toFixed(1)} min`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
