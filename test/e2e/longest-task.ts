import type { Browser, Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  args: { name?: string };
  /** Microseconds that its thread ran. */
  tdur?: number;
}

/**
 * How long the page was busy with one task at most while `act` went on: so long a key press may have waited. In
 * milliseconds of the processor, for on a busy machine the same task takes several times as long by the clock.
 */
export async function longestTaskMs(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['-*', 'disabled-by-default-devtools.timeline'] });
  let trace: Buffer;
  try {
    await act();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args.name === 'CrRendererMain';
  const mains = traceEvents.filter(isMain).map(placeOf);
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && mains.includes(placeOf(event)));
  if (tasks.length === 0) throw new Error('the browser has recorded no tasks');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

function placeOf({ pid, tid }: TraceEvent): string {
  return `${pid}:${tid}`;
}
