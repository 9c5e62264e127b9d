import { firstRefusal, refuse, unknownKey, type ChatRefusal } from './chat-refusal.js';
import { isObject, type Json } from './messages-refusal.js';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_ID_LENGTH = 40;
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];
const FIELDS: Record<string, string[]> = {
  assistant: ['role', 'content', 'tool_calls', 'refusal', 'name'],
  tool: ['role', 'content', 'tool_call_id'],
};

/** Rules about `messages`; `extraFields`: what the server takes on messages of the assistant and their calls besides the standard. */
export function checkChatMessages(
  messages: unknown,
  extraFields: readonly string[],
): ChatRefusal | undefined {
  if (!Array.isArray(messages)) return refuse("Missing required parameter: 'messages'.");
  if (messages.length === 0)
    return refuse("Invalid 'messages': empty array. Expected an array with minimum length 1.");
  const all = messages as Json[];
  return (
    firstRefusal(all, (message, index) => checkMessage(message, `messages[${index}]`, extraFields)) ??
    checkPairs(all)
  );
}

function checkMessage(
  message: unknown,
  path: string,
  extraFields: readonly string[],
): ChatRefusal | undefined {
  if (!isObject(message)) return refuse(`Invalid type for '${path}': expected an object.`);
  const role = String(message.role);
  if (!ROLES.includes(role))
    return refuse(`Invalid value: '${role}'. Supported values are: ${ROLES.join(', ')}.`);
  const known = FIELDS[role] ?? ['role', 'content', 'name'];
  const unknown = unknownKey(message, role === 'assistant' ? [...known, ...extraFields] : known);
  if (unknown !== undefined) return refuse(`Unknown parameter: '${path}.${unknown}'.`);
  if (role === 'assistant') return checkAssistant(message, path, extraFields);
  if (role === 'tool') return checkTool(message, path);
  return checkContent(message.content, path, role === 'user' ? ['text', 'image_url'] : ['text']);
}

function checkAssistant(
  { content, tool_calls: calls }: Json,
  path: string,
  extraFields: readonly string[],
): ChatRefusal | undefined {
  if (calls === undefined) {
    return typeof content === 'string' && content !== ''
      ? undefined
      : refuse(`Invalid value for 'content': expected a string, got ${String(content)}.`);
  }
  if (!Array.isArray(calls) || calls.length === 0)
    return refuse(`Invalid '${path}.tool_calls': empty array. Expected an array with minimum length 1.`);
  if (content !== null && typeof content !== 'string')
    return refuse(`Invalid type for '${path}.content': expected a string.`);
  return firstRefusal(calls as Json[], (call, index) =>
    checkCall(call, `${path}.tool_calls[${index}]`, extraFields),
  );
}

function checkCall(call: Json, path: string, extraFields: readonly string[]): ChatRefusal | undefined {
  const unknown = unknownKey(call, ['id', 'type', 'function', ...extraFields]);
  if (unknown !== undefined) return refuse(`Unknown parameter: '${path}.${unknown}'.`);
  if (call.type !== 'function') return refuse(`Missing required parameter: '${path}.type'.`);
  const tooLong = checkId(call.id, `${path}.id`);
  if (tooLong) return tooLong;
  const { name, arguments: args } = isObject(call.function) ? call.function : ({} as Json);
  if (typeof name !== 'string' || !NAME.test(name))
    return refuse(
      `Invalid '${path}.function.name': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`,
    );
  return typeof args === 'string'
    ? undefined
    : refuse(`Invalid type for '${path}.function.arguments': expected a string.`);
}

function checkTool({ content, tool_call_id: id }: Json, path: string): ChatRefusal | undefined {
  return checkId(id, `${path}.tool_call_id`) ?? checkContent(content, path, ['text']);
}

function checkId(id: unknown, path: string): ChatRefusal | undefined {
  if (typeof id !== 'string' || id === '') return refuse(`Missing required parameter: '${path}'.`);
  if (id.length <= MAX_ID_LENGTH) return undefined;
  return refuse(
    `Invalid '${path}': string too long. Expected a string with maximum length ${MAX_ID_LENGTH}, but got a string with length ${id.length} instead.`,
  );
}

function checkContent(content: unknown, path: string, types: readonly string[]): ChatRefusal | undefined {
  if (typeof content === 'string')
    return content === '' ? refuse(`Invalid value for '${path}.content': empty string.`) : undefined;
  if (!Array.isArray(content) || content.length === 0)
    return refuse(`Invalid type for '${path}.content': expected one of a string or array of objects.`);
  return firstRefusal(content as Json[], (part, index) => {
    const at = `${path}.content[${index}]`;
    if (!types.includes(String(part.type)))
      return refuse(
        `Invalid value: '${String(part.type)}' of '${at}.type'. Supported values are: ${types.join(', ')}.`,
      );
    if (part.type === 'text')
      return part.text === '' ? refuse(`Invalid '${at}.text': empty string.`) : undefined;
    const url = isObject(part.image_url) ? String(part.image_url.url) : '';
    return /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/.test(url)
      ? undefined
      : refuse(`Invalid '${at}.image_url.url': expected a base64-encoded data URL with an image MIME type.`);
  });
}

/** Each call is answered by one message of role `tool`, right behind the message that made it. */
function checkPairs(messages: Json[]): ChatRefusal | undefined {
  let open = new Set<string>();
  const unanswered = () =>
    refuse(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    );
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(String(message.tool_call_id)))
        return refuse(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        );
      continue;
    }
    if (open.size > 0) return unanswered();
    const calls = (message.tool_calls ?? []) as Json[];
    open = new Set(calls.map((call) => String(call.id)));
    if (open.size < calls.length) return refuse('Duplicate tool call ids.');
  }
  return open.size > 0 ? unanswered() : undefined;
}
