import type { Message } from '#contracts';
import type { WireStep } from './amqp-tap.js';
import { messageOf } from './record-calls.js';

export const TRANSCRIPT = 'docs/worker-protocol-transcript.md';

const HEAD = `# A transcript of a worker without the store

What a worker of the group \`house\` and RabbitMQ said to each other: recorded between them by \`npm run transcript\`, with a
real gateway, orchestrator and worker, and the [tools](../test/e2e/fixtures/transcript-tools/rooms.tool.mjs) of the toolset
\`rooms\`. [worker-protocol.md](worker-protocol.md) has the rules. \`test/e2e/worker-transcript.spec.ts\` records it again
in each run of the tests and compares.

Ids, times, durations and the name of the host are replaced by readable ones, the rest is as it was. Left out are: opening and closing of connections and
channels, the broker's confirms, later beats (every 2 s), later offers (every 10 s), and requests that were repeated.
Each message has the properties \`content_type: application/json\` and its \`id\` as \`message_id\`.
`;

interface Section {
  title: string;
  text: string;
  startsWith(step: WireStep): boolean;
}

const isCallOf = (tool: string) => (step: WireStep) => {
  const message = messageOf(step);
  return message?.type === 'tool.call' && message.body.tool_name === tool;
};

const SECTIONS: Section[] = [
  {
    title: 'Start',
    text: 'The control queue comes first, because the answer to the first beat arrives there.',
    startsWith: () => true,
  },
  {
    title: 'A call of class `once`',
    text: 'It tells progress and stores an artifact. The worker asks the orchestrator that sent the call, by its control key.',
    startsWith: isCallOf('rooms.paint'),
  },
  {
    title: 'A call that asks its person',
    text: 'The call is acknowledged as soon as its question is stored, because a person may take longer than the broker waits for an acknowledgement. The worker looks for the answer at once and every 5 s; `tool.answered` only makes it look earlier.',
    startsWith: isCallOf('rooms.choose'),
  },
  {
    title: 'A call that is stopped',
    text: 'Its person presses Stop while it runs.',
    startsWith: isCallOf('rooms.dry'),
  },
  {
    title: 'End',
    text: 'The worker gets SIGTERM and has no call in hand.',
    startsWith: (step) => {
      const message = messageOf(step);
      return message?.type === 'ledger.announce' && message.body.toolsets.length === 0;
    },
  },
];

/** One line for each step, as the document has it. */
export function stepLines(steps: readonly WireStep[]): string[] {
  return steps.map((step, index) => `**${index + 1}.** ${step.from}: ${describeStep(step)}`);
}

/** The document, before it is formatted. */
export function writeTranscript(steps: readonly WireStep[]): string {
  const parts = [HEAD];
  let next = 0;
  stepLines(steps).forEach((line, index) => {
    const step = steps[index]!;
    if (SECTIONS[next]?.startsWith(step)) {
      const { title, text } = SECTIONS[next++]!;
      parts.push(`## ${title}\n\n${text}`);
    }
    const message = messageOf(step);
    parts.push(message ? `${line}\n\n\`\`\`json\n${JSON.stringify(message)}\n\`\`\`` : line);
  });
  if (next < SECTIONS.length) throw new Error(`nothing begins the section "${SECTIONS[next]!.title}"`);
  return parts.join('\n\n');
}

/** What the document has. */
export function readTranscript(text: string): { lines: string[]; messages: Message[] } {
  return {
    lines: [...text.matchAll(/^\*\*\d+\.\*\*.*$/gm)].map(([line]) => line),
    messages: [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, code]) => JSON.parse(code!) as Message,
    ),
  };
}

/** `BasicPublish` → `basic.publish`. */
function amqpName(method: string): string {
  return method.replace(/(?<!^)[A-Z]/, '.$&').toLowerCase();
}

function describeStep(step: WireStep): string {
  const { method, fields } = step;
  const name = `\`${amqpName(method)}\``;
  const { queue, exchange, routingKey, deliveryTag, prefetchCount } = fields as Record<string, string>;
  switch (method) {
    case 'QueueDeclare':
      return `${name} \`${queue}\`, ${flags(fields, 'durable', 'exclusive')}, \`${JSON.stringify(fields.arguments)}\``;
    case 'QueueBind':
      return `${name} \`${queue}\` to \`${exchange}\`, key \`${routingKey}\``;
    case 'BasicConsume':
      return `${name} \`${queue}\`, ${fields.noAck ? 'without' : 'with'} acknowledgements`;
    case 'BasicQos':
      return `${name}, prefetch ${prefetchCount}`;
    case 'BasicPublish':
      return `${name} \`${typeOf(step)}\` to \`${exchange}\`, key \`${routingKey}\`, ${flags(fields, 'mandatory')}, ${properties(step)}`;
    case 'BasicDeliver': {
      const tag = typeOf(step) === 'tool.call' ? `, delivery tag ${deliveryTag}` : '';
      return `${name} \`${typeOf(step)}\` from \`${exchange}\`, key \`${routingKey}\`, ${properties(step)}${tag}`;
    }
    case 'BasicAck':
    case 'BasicReject':
      return `${name}, delivery tag ${deliveryTag}`;
    default:
      return name;
  }
}

function typeOf(step: WireStep): string {
  return messageOf(step)!.type;
}

function flags(fields: Record<string, unknown>, ...names: string[]): string {
  return names.map((name) => (fields[name] ? name : `not ${name}`)).join(', ');
}

function properties({ message }: WireStep): string {
  const { deliveryMode, expiration } = message!.properties;
  const expires = expiration === undefined ? '' : `, expiration ${String(expiration)}`;
  return `delivery mode ${String(deliveryMode)}${expires}`;
}
