import { invalid, isObject, type Json, type Refusal } from './messages-refusal.js';

const ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_USE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

interface Message {
  role: string;
  content: Json[];
}

/** Rules about `messages`: roles, blocks, and that every tool_use has its one tool_result right after it. */
export function checkMessages(messages: unknown): Refusal | undefined {
  if (!Array.isArray(messages)) return invalid('messages: Field required');
  if (messages.length === 0) return invalid('messages: at least one message is required');
  const seenToolUses = new Set<string>();
  const normal: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const refusal = checkShape(message, index, messages.length);
    if (refusal) return refusal;
    const { role, content } = message as Json;
    normal.push({ role: role as string, content: asBlocks(content) });
  }
  return (
    checkRoles(normal) ??
    firstRefusal(normal, (message, index) => checkBlocks(message, index, seenToolUses)) ??
    firstRefusal(normal, (message, index) => checkPairs(normal[index - 1], message, index)) ??
    checkLastMessage(normal)
  );
}

function asBlocks(content: unknown): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Json[]);
}

function firstRefusal(messages: Message[], check: (message: Message, index: number) => Refusal | undefined) {
  for (const [index, message] of messages.entries()) {
    const refusal = check(message, index);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkShape(message: unknown, index: number, count: number): Refusal | undefined {
  if (!isObject(message)) return invalid(`messages.${index}: Input should be an object`);
  if (message.role !== 'user' && message.role !== 'assistant') {
    return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content))
    return invalid(`messages.${index}.content: Field required`);
  const isOptional = index === count - 1 && message.role === 'assistant';
  if (content.length === 0 && !isOptional) {
    return invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  return undefined;
}

function checkRoles(messages: Message[]): Refusal | undefined {
  if (messages[0]!.role !== 'user') return invalid('messages: first message must use the "user" role');
  const at = messages.findIndex((message, index) => index > 0 && message.role === messages[index - 1]!.role);
  if (at < 0) return undefined;
  return invalid(
    `messages: roles must alternate between "user" and "assistant", but found multiple "${messages[at]!.role}" roles in a row`,
  );
}

function checkBlocks(message: Message, index: number, seenToolUses: Set<string>): Refusal | undefined {
  for (const [at, block] of message.content.entries()) {
    const refusal = checkBlock(block, message.role, `messages.${index}.content.${at}`, seenToolUses);
    if (refusal) return refusal;
  }
  return undefined;
}

function checkBlock(block: Json, role: string, path: string, seenToolUses: Set<string>): Refusal | undefined {
  switch (block.type) {
    case 'text':
      return checkText(block.text, path);
    case 'thinking':
      return checkThinking(block, role, path);
    case 'redacted_thinking':
      return typeof block.data === 'string' && block.data !== ''
        ? undefined
        : invalid(`${path}.redacted_thinking.data: Field required`);
    case 'tool_use':
      return checkToolUse(block, role, path, seenToolUses);
    case 'tool_result':
      return role === 'user'
        ? checkResultContent(block, `${path}.tool_result`)
        : invalid(`${path}: \`tool_result\` blocks can only be in \`user\` messages`);
    default:
      return invalid(
        `${path}: Input tag '${String(block.type)}' found using 'type' does not match any of the expected tags`,
      );
  }
}

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_IMAGE_BASE64 = 5 * 1024 * 1024;

/** Text and pictures; of an error only text. */
function checkResultContent({ content, is_error }: Json, path: string): Refusal | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const [index, block] of (content as Json[]).entries()) {
    const at = `${path}.content.${index}`;
    if (block.type === 'text') {
      const refusal = checkText(block.text, at);
      if (refusal) return refusal;
    } else if (block.type !== 'image') {
      return invalid(`${at}: Input tag '${String(block.type)}' found using 'type' does not match`);
    } else if (is_error === true) {
      return invalid(`${path}: all content must be type "text" if "is_error" is true`);
    } else {
      const refusal = checkImage(block.source, `${at}.image.source`);
      if (refusal) return refusal;
    }
  }
  return undefined;
}

function checkImage(source: unknown, path: string): Refusal | undefined {
  const { type, media_type, data } = isObject(source) ? source : {};
  if (type !== 'base64' || typeof data !== 'string' || data === '')
    return invalid(`${path}.base64.data: Field required`);
  if (!IMAGE_TYPES.includes(String(media_type)))
    return invalid(`${path}.base64.media_type: Input should be one of ${IMAGE_TYPES.join(', ')}`);
  if (data.length <= MAX_IMAGE_BASE64) return undefined;
  return invalid(
    `${path}.base64: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_IMAGE_BASE64} bytes`,
  );
}

function checkText(text: unknown, path: string): Refusal | undefined {
  if (typeof text !== 'string') return invalid(`${path}.text.text: Field required`);
  if (text === '') return invalid('messages: text content blocks must be non-empty');
  return text.trim() === ''
    ? invalid('messages: text content blocks must contain non-whitespace text')
    : undefined;
}

function checkThinking(block: Json, role: string, path: string): Refusal | undefined {
  if (role !== 'assistant')
    return invalid(`${path}: \`thinking\` blocks can only be in \`assistant\` messages`);
  if (typeof block.thinking !== 'string') return invalid(`${path}.thinking.thinking: Field required`);
  if (typeof block.signature !== 'string') return invalid(`${path}.thinking.signature: Field required`);
  return block.signature === '' ? invalid(`${path}: Invalid \`signature\` in \`thinking\` block`) : undefined;
}

function checkToolUse(block: Json, role: string, path: string, seen: Set<string>): Refusal | undefined {
  if (role !== 'assistant')
    return invalid(`${path}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  if (typeof block.id !== 'string' || !ID.test(block.id)) {
    return invalid(`${path}.tool_use.id: String should match pattern '${ID.source}'`);
  }
  if (typeof block.name !== 'string' || !TOOL_USE_NAME.test(block.name)) {
    return invalid(`${path}.tool_use.name: String should match pattern '${TOOL_USE_NAME.source}'`);
  }
  if (!isObject(block.input)) return invalid(`${path}.tool_use.input: Input should be a valid dictionary`);
  if (seen.has(block.id)) return invalid('messages: `tool_use` ids must be unique');
  seen.add(block.id);
  return undefined;
}

function checkPairs(before: Message | undefined, message: Message, index: number): Refusal | undefined {
  const asked = before?.role === 'assistant' ? idsOf(before, 'tool_use', 'id') : [];
  const answered = idsOf(message, 'tool_result', 'tool_use_id');
  const twice = answered.find((id, at) => answered.indexOf(id) !== at);
  if (twice !== undefined) {
    return invalid(
      `messages.${index}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
    );
  }
  const stray = answered.find((id) => !asked.includes(id));
  if (stray !== undefined) return invalid(unexpectedResult(index, stray));
  const front = message.content.slice(0, answered.length);
  const missing = asked.filter((id) => !answered.includes(id));
  if (missing.length > 0 || front.some((block) => block.type !== 'tool_result')) {
    return invalid(missingResults(index - 1, missing.length > 0 ? missing : asked));
  }
  if (answered.some((id, at) => asked[at] !== id)) {
    return invalid(
      `messages.${index}: \`tool_result\` blocks must be in the order of their \`tool_use\` blocks`,
    );
  }
  return undefined;
}

/** A final assistant message with open calls is refused like any other. */
function checkLastMessage(messages: Message[]): Refusal | undefined {
  const last = messages.at(-1)!;
  if (last.role !== 'assistant') return undefined;
  const open = idsOf(last, 'tool_use', 'id');
  if (open.length > 0) return invalid(missingResults(messages.length - 1, open));
  const text = last.content.at(-1)?.text;
  return typeof text === 'string' && /\s$/.test(text)
    ? invalid('messages: final assistant content cannot end with trailing whitespace')
    : undefined;
}

function idsOf(message: Message, type: string, key: string): string[] {
  return message.content.flatMap((block) => (block.type === type ? [String(block[key])] : []));
}

function missingResults(index: number, ids: string[]): string {
  return (
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
    'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
  );
}

function unexpectedResult(index: number, id: string): string {
  return (
    `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
    'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
  );
}
