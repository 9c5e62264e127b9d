import type { ModelMessage } from '#llm';
import { say, type Reply } from './reply.js';

const MAX_LINE = 200;
const MAX_LINES = 40;
/** What the user said, and the lines of an earlier summary. */
const SAID = /^(?:User: |- )(?!\[)(.+)$/gm;

/** What is kept of a conversation that has become too long: what the user said, which is what the demo model recalls. */
export function summarise(messages: ModelMessage[], earlier = ''): Reply {
  const texts = messages.flatMap(({ content }) =>
    content.map((item) => (item.type === 'text' ? item.text : '')),
  );
  const conversation = [earlier, ...texts].join('\n');
  const lines = [...conversation.matchAll(SAID)].map(([, said]) => `- ${said!.slice(0, MAX_LINE)}`);
  const kept = [...new Set(lines)];
  // What they said first is asked for as well.
  const shown = kept.length <= MAX_LINES ? kept : [kept[0]!, ...kept.slice(1 - MAX_LINES)];
  return say(['The user said, in this order:', ...shown].join('\n'));
}

/** The lines of such a summary, as if they had been said. */
export function linesOfSummary(summary: string): string[] {
  return [...summary.matchAll(/^- (.+)$/gm)].map(([, said]) => said!);
}
