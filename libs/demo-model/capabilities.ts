import { SUGGESTED_KEY, SUGGESTED_MODEL, type ModelTool } from '#llm';

const EXAMPLES: [toolName: string | undefined, example: string][] = [
  ['math__add', '`what is 17 + 25 and 6 * 7?`'],
  ['math__add', '`add 2 and 3, then multiply the result by 4`'],
  ['knowledge__rag_search', '`search the documents for side effects`'],
  ['web__web_search', '`search the web for RabbitMQ quorum queues`'],
  ['time__now', '`what time is it in Tokyo?`'],
  ['memory__remember', '`remember that my cat is called Tom`, later `what do you remember about my cat?`'],
  ['http__fetch', '`read https://example.com`'],
  [undefined, '`my name is Ann`, later `what is my name?`'],
  [undefined, '`count to 500` or `tell me a long story`, to try Stop and reloading'],
  [
    undefined,
    '`which tools do you have?` and `call <tool> with {"some": "arguments"}`, for any tool on offer',
  ],
];

export function describeCapabilities(tools: ModelTool[]): string {
  const offered = new Set(tools.map((tool) => tool.name));
  const lines = EXAMPLES.filter(([name]) => name === undefined || offered.has(name)).map(
    ([, example]) => `- ${example}`,
  );
  return [
    'I am the built-in **demo model**: my answers follow fixed rules and need no network. Try:',
    lines.join('\n'),
    `For a real model set \`MODEL=${SUGGESTED_MODEL}\` and \`${SUGGESTED_KEY}\`, then restart.`,
  ].join('\n\n');
}

export function listTools(tools: ModelTool[]): string {
  if (tools.length === 0)
    return 'No tool is on offer right now: no tool worker is connected, or all tools are blocked.';
  const lines = tools.map((tool) => `- \`${tool.name}\`: ${firstSentence(tool.description)}`);
  return `These ${tools.length} tools are on offer:\n\n${lines.join('\n')}`;
}

function firstSentence(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?])\s/)[0]!
    .slice(0, 160);
}
