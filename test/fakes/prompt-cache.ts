import { createHash } from 'node:crypto';
import type { MessagesBody } from './strict-messages-api.js';

type ContentBlock = Record<string, unknown>;

/** Blocks before a breakpoint among which the provider looks for an entry. */
const LOOK_BACK = 20;

/** What the provider's prompt cache makes of the requests that it sees, in bytes of their serialised blocks. */
export class PromptCache {
  private readonly entries = new Set<string>();

  /** How much of this request is read from the cache; what its breakpoints mark is there for the next one. */
  read(body: MessagesBody): { cached: number; total: number } {
    const prefixes = prefixesOf(body);
    const marked = prefixes.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
    const hits = marked.flatMap((at) =>
      prefixes.slice(Math.max(0, at - LOOK_BACK), at + 1).filter(({ hash }) => this.entries.has(hash)),
    );
    for (const at of marked) this.entries.add(prefixes[at]!.hash);
    return { cached: Math.max(0, ...hits.map(({ bytes }) => bytes)), total: prefixes.at(-1)!.bytes };
  }
}

/** After each block, in the order in which the provider reads them: tools, system prompt, messages. */
function prefixesOf({ tools = [], system = [], messages, tool_choice, thinking }: MessagesBody) {
  const said = messages.flatMap(({ role, content }) =>
    (content as ContentBlock[]).map((block) => ({ role, ...block })),
  );
  const hash = createHash('sha256');
  let bytes = 0;
  const front = tools.length + system.length;
  return [...tools, ...system, ...said].map(({ cache_control, ...block }: ContentBlock, at) => {
    // Whoever changes these keeps the cache of tools and system prompt only.
    if (at === front) hash.update(JSON.stringify([tool_choice, thinking]));
    const text = JSON.stringify(block);
    hash.update(text);
    bytes += Buffer.byteLength(text);
    return { hash: hash.copy().digest('hex'), bytes, isMarked: cache_control !== undefined };
  });
}
