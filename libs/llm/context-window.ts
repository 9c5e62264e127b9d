import { versionOf } from './anthropic/model-features.js';
import { providerOf, withoutProvider } from './model-name.js';

/** As their providers publish them; a family gets the smallest window of its models. First match counts. */
const OPENAI_WINDOWS: [name: RegExp, tokens: number][] = [
  [/^gpt-5[\w.]*-chat/, 128_000],
  // 400,000 in all, of which a request may have these.
  [/^gpt-5/, 272_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o|o1-(mini|preview))/, 128_000],
  [/^o[134]/, 200_000],
  [/^gpt-4/, 8_192],
  [/^gpt-3\.5/, 16_385],
];

/** Tokens that a request to this model and its answer may have together; undefined when nobody knows. */
export function contextWindowOf(model: string): number | undefined {
  const name = withoutProvider(model);
  switch (providerOf(model)) {
    case 'anthropic':
      return claudeWindow(name);
    case 'openai':
      return OPENAI_WINDOWS.find(([pattern]) => pattern.test(name))?.[1];
    case 'gemini':
      return /^(models\/)?gemini-/.test(name) ? 1_048_576 : undefined;
    default:
      // What a server of one's own takes depends on how it was started; the demo model takes everything.
      return undefined;
  }
}

function claudeWindow(name: string): number | undefined {
  const version = versionOf(name);
  if (version === undefined) return undefined;
  return version >= 500 && !name.startsWith('claude-haiku') ? 1_000_000 : 200_000;
}
