/** `412 ms`, `1.24 s`, `41 s`, `1 min 12 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_995) return `${(ms / 1_000).toFixed(2)} s`;
  return formatSeconds(ms);
}

/** The same for a growing time: `8.4 s`, never faster than users can read. */
export function formatElapsed(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
  return formatSeconds(ms);
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clockFormat = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** `14:31:08`, local time. */
export function formatClock(at: number | string): string {
  return clockFormat.format(new Date(at));
}

const numberFormat = new Intl.NumberFormat('en-US');

/** `9,204`. */
export function formatNumber(value: number): string {
  return numberFormat.format(value);
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `1st in line`. */
export function placeInLine(place: number): string {
  const lastTwo = place % 100;
  const isTeen = lastTwo > 10 && lastTwo < 14;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending} in line`;
}
