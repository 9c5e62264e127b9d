/**
 * What operators read of the reason of a dead letter. The reason itself stays in its row: it may quote an error or a
 * name, so it may quote what people, models or tools wrote.
 */
export const LETTER_REASONS = [
  /** Every process that took it died or lost its connection. */
  'delivery_limit',
  'maxlen',
  'expired',
  'rejected: not JSON',
  'rejected: too large',
  'rejected: too deep',
  'rejected: version',
  'rejected: wrong queue',
  'rejected: unknown tool',
  'rejected: handler failed',
  /** A consumer gave up on it for another reason. */
  'rejected',
  'other',
] as const;

export type LetterReason = (typeof LETTER_REASONS)[number];

/** The first one that fits counts. */
const BEGINNINGS: [RegExp, LetterReason][] = [
  [/^delivery_limit/, 'delivery_limit'],
  [/^maxlen/, 'maxlen'],
  [/^expired/, 'expired'],
  [/^rejected: not JSON/, 'rejected: not JSON'],
  [/^rejected: larger than/, 'rejected: too large'],
  [/^rejected: deeper than/, 'rejected: too deep'],
  [/^rejected: version:/, 'rejected: version'],
  [/^rejected: type .* does not belong here/s, 'rejected: wrong queue'],
  [/^rejected: this worker has no tool/, 'rejected: unknown tool'],
  [/^rejected: handler failed/, 'rejected: handler failed'],
  [/^rejected/, 'rejected'],
];

export function letterReasonOf(reason: string): LetterReason {
  return BEGINNINGS.find(([beginning]) => beginning.test(reason))?.[1] ?? 'other';
}
