/** What follows these words in a reason may quote an error or a name, so only the words are shown. */
const REASONS: [RegExp, string][] = [
  [/^delivery_limit/, 'Delivered again and again'],
  [/^maxlen/, 'Its queue was full'],
  [/^expired/, 'Too old'],
  [/^rejected: not JSON/, 'Not JSON'],
  [/^rejected: (larger|deeper) than/, 'Larger or deeper than allowed'],
  [/^rejected: version:/, 'Of another version'],
  [/^rejected: type .* does not belong/, 'In the wrong queue'],
  [/^rejected: this worker has no tool/, 'Its worker does not have the tool'],
  [/^rejected: handler failed/, 'Its handler failed'],
  [/^rejected/, 'Rejected'],
];

/** Why a message could not be delivered, without anything that people, models or tools wrote. */
export function reasonWords(reason: string): string {
  return REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'For another reason';
}
