import { firstRefusal, refuse, unknownKey, type ChatRefusal } from './chat-refusal.js';
import { checkChatMessages } from './chat-transcript-rules.js';
import { checkGeminiRequest } from './gemini-rules.js';
import { isObject, type Json } from './messages-refusal.js';

export type ChatService = 'openai' | 'gemini' | 'ollama' | 'compatible';

const STANDARD = [
  ...[
    'model',
    'messages',
    'stream',
    'stream_options',
    'tools',
    'tool_choice',
    'temperature',
    'top_p',
    'stop',
  ],
  ...[
    'max_tokens',
    'max_completion_tokens',
    'seed',
    'response_format',
    'frequency_penalty',
    'presence_penalty',
  ],
  ...['reasoning_effort', 'parallel_tool_calls', 'n', 'user'],
];
/** Ollama passes these over in silence: who sends one expects something that will not happen. */
const UNKNOWN_TO_OLLAMA = ['tool_choice', 'max_completion_tokens', 'parallel_tool_calls', 'n', 'user'];
/** On messages of the assistant and their calls. */
const EXTRA_FIELDS: Record<ChatService, string[]> = {
  openai: [],
  gemini: ['extra_content'],
  ollama: ['reasoning'],
  compatible: ['reasoning_content', 'reasoning'],
};
const REASONING_MODEL = /^(o\d|gpt-([5-9]|\d\d))/;
const NO_REASONING_WITH_TOOLS = /^gpt-(5\.[4-9]|[6-9]|\d\d)/;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const REFUSED_AT_TOP = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'];
const MAX_DESCRIPTION_LENGTH = 1_024;

/** The first rule of the service that the request breaks, or undefined. */
export function checkChatRequest(
  service: ChatService,
  headers: NodeJS.Dict<string | string[]>,
  body: unknown,
): ChatRefusal | undefined {
  const needsKey = service === 'openai' || service === 'gemini';
  if (needsKey && !/^Bearer \S+/.test(String(headers.authorization ?? '')))
    return { status: 401, type: 'invalid_request_error', message: "You didn't provide an API key." };
  if (!isObject(body)) return refuse('We could not parse the JSON body of your request.');
  return (
    checkParameters(service, body) ??
    checkChatMessages(body.messages, EXTRA_FIELDS[service]) ??
    checkTools(body, service) ??
    (service === 'openai' ? checkModelLimits(body) : undefined) ??
    (service === 'gemini' ? checkGeminiRequest(body) : undefined)
  );
}

function checkParameters(service: ChatService, body: Json): ChatRefusal | undefined {
  const known = service === 'gemini' ? [...STANDARD, 'extra_body'] : STANDARD;
  const unknown =
    unknownKey(body, known) ??
    (service === 'ollama' ? UNKNOWN_TO_OLLAMA.find((name) => name in body) : undefined);
  if (unknown !== undefined) return refuse(`Unknown parameter: '${unknown}'.`);
  if (typeof body.model !== 'string' || body.model === '')
    return refuse('you must provide a model parameter');
  if (body.stream !== true) return refuse("Missing required parameter: 'stream'.");
  if (!isObject(body.stream_options) || body.stream_options.include_usage !== true)
    return refuse("Missing required parameter: 'stream_options.include_usage'.");
  const limit = body.max_tokens ?? body.max_completion_tokens;
  if (limit !== undefined && (!Number.isInteger(limit) || Number(limit) < 1))
    return refuse("Invalid 'max_tokens': integer below minimum value. Expected a value >= 1.");
  return undefined;
}

function checkTools({ tools, tool_choice: choice }: Json, service: ChatService): ChatRefusal | undefined {
  if (tools === undefined)
    return choice === undefined
      ? undefined
      : refuse("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.");
  if (!Array.isArray(tools) || tools.length === 0)
    return refuse("Invalid 'tools': empty array. Expected an array with minimum length 1.");
  const functions = (tools as Json[]).map((tool) => (isObject(tool.function) ? tool.function : {}));
  const refusal = firstRefusal(functions, (tool, index) => checkFunction(tool, index, service));
  if (refusal) return refusal;
  const names = functions.map((tool) => tool.name);
  if (new Set(names).size < names.length) return refuse('Duplicate function declaration found.');
  if (choice === undefined || typeof choice === 'string') return undefined;
  const wanted = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  return names.includes(wanted)
    ? undefined
    : refuse(`Tool choice '${String(wanted)}' not found in 'tools' parameter.`);
}

function checkFunction(tool: Json, index: number, service: ChatService): ChatRefusal | undefined {
  const { name, description, parameters } = tool;
  if (typeof name !== 'string' || !FUNCTION_NAME.test(name))
    return refuse(
      `Invalid 'tools[${index}].function.name': string does not match pattern. Expected a string that matches the pattern '${FUNCTION_NAME.source}'.`,
    );
  if (service === 'openai' && String(description ?? '').length > MAX_DESCRIPTION_LENGTH)
    return refuse(
      `Invalid 'tools[${index}].function.description': string too long. Expected a string with maximum length ${MAX_DESCRIPTION_LENGTH}.`,
    );
  if (!isObject(parameters) || service !== 'openai') return undefined;
  const wrong = `Invalid schema for function '${name}': `;
  if (parameters.type !== 'object' || REFUSED_AT_TOP.some((keyword) => keyword in parameters))
    return refuse(
      `${wrong}schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
    );
  if (!isObject(parameters.properties))
    return refuse(`${wrong}In context=(), object schema missing properties.`);
  return hasListWithoutItems(parameters) ? refuse(`${wrong}array schema missing items.`) : undefined;
}

function hasListWithoutItems(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasListWithoutItems);
  if (!isObject(schema)) return false;
  return (schema.type === 'array' && !('items' in schema)) || Object.values(schema).some(hasListWithoutItems);
}

function checkModelLimits(body: Json): ChatRefusal | undefined {
  const model = String(body.model);
  if (!REASONING_MODEL.test(model)) return undefined;
  if ('max_tokens' in body)
    return refuse(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    );
  if ('temperature' in body)
    return refuse("Unsupported value: 'temperature' does not support this value with this model.");
  const reasons = NO_REASONING_WITH_TOOLS.test(model) && body.reasoning_effort !== 'none';
  return reasons && body.tools !== undefined
    ? refuse(
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
      )
    : undefined;
}
