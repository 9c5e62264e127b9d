/**
 * Characters that change how a text looks without being seen: direction marks, zero-width and other ignorable
 * characters, line separators, controls, and blanks that Unicode counts as symbols or letters. Emoji keep what joins
 * their parts.
 */
const UNSEEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\ufe0f\u200d])[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** A text with each unseen character as its JSON escape, `\u202e`; two lines become one. */
export function toVisibleText(text: string): string {
  return text.replace(UNSEEN, escape);
}

/**
 * A value as JSON without unseen characters, so that a person approves exactly what they see. It is still JSON of the
 * same value.
 */
export function toVisibleJson(value: unknown): string {
  return toVisibleText(JSON.stringify(value) ?? 'undefined');
}

/** The same, of at most so many characters; what is left out is stated, because a person approves all of it. */
export function cutVisibleJson(value: unknown, maxLength: number): string {
  const json = toVisibleJson(value);
  if (json.length <= maxLength) return json;
  return `${json.slice(0, maxLength)}… and ${json.length - maxLength} more characters, which are not shown here`;
}

function escape(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
