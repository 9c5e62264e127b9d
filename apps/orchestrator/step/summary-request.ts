import { SUMMARY_INSTRUCTION, type ModelRequest } from '#llm';
import { cutMiddle, shortenResults, tokensOfText, withoutSummary, type ModelMessage } from '#turn';

const LEFT_OUT = '[Earlier messages are left out here.]';
/** Of the message, and of what says that something is missing. */
const FRAME_TOKENS = 40;
/** The share of the text that fits on average: some parts may be denser. */
const ROUNDED_DOWN = 0.9;

/**
 * The request that summarises a history. The history is sent as text, so that no provider has to accept calls, pictures
 * or thinking. If it does not fit into `inputTokens`, the oldest turns are left out, except an earlier summary.
 */
export function summaryRequest(
  history: readonly ModelMessage[],
  limits: { inputTokens: number | undefined; outputTokens: number },
): Omit<ModelRequest, 'model'> {
  const { inputTokens = Infinity, outputTokens } = limits;
  const { summary, messages } = withoutSummary(history);
  const taken = tokensOfText(SUMMARY_INSTRUCTION) + tokensOfText(summary ?? '') + FRAME_TOKENS;
  const text = fitted(turnsOf(shortenResults(messages)), Math.max(1, inputTokens - taken));
  return {
    system: SUMMARY_INSTRUCTION,
    ...(summary === undefined ? {} : { summary }),
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tools: [],
    max_output_tokens: outputTokens,
  };
}

/** The newest turns that fit. */
function fitted(turns: string[], room: number): string {
  const sizes = turns.map((turn) => tokensOfText(turn) + 1);
  let size = sizes.reduce((sum, tokens) => sum + tokens, 0);
  if (size <= room) return turns.join('\n\n');
  let from = 0;
  while (size > room && from < turns.length - 1) size -= sizes[from++]!;
  const text = [...(from > 0 ? [LEFT_OUT] : []), ...turns.slice(from)].join('\n\n');
  if (size <= room) return text;
  const half = Math.floor((text.length * room * ROUNDED_DOWN) / size / 2);
  return cutMiddle(text, half, half);
}

/** One text for each turn; it begins with the user's message. */
function turnsOf(messages: readonly ModelMessage[]): string[] {
  const turns: string[][] = [];
  for (const message of messages) {
    for (const item of message.content) {
      const text = describe(message.role, item);
      if (text === undefined) continue;
      const begins = message.role === 'user' && item.type === 'text';
      if (begins || turns.length === 0) turns.push([]);
      turns.at(-1)!.push(text);
    }
  }
  return turns.map((lines) => lines.join('\n\n'));
}

function describe(role: ModelMessage['role'], item: ModelMessage['content'][number]): string | undefined {
  switch (item.type) {
    case 'text':
      return `${role === 'user' ? 'User' : 'Assistant'}: ${item.text}`;
    case 'tool_use':
      return `Assistant called ${item.name}(${JSON.stringify(item.arguments)})`;
    case 'tool_result':
      return `${item.is_error ? 'Error' : 'Result'}: ${item.text}`;
    case 'thinking':
      return undefined;
  }
}
