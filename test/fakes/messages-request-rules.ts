import { invalid, isObject, type Json, type Refusal } from './messages-refusal.js';
import { checkMessages } from './messages-transcript-rules.js';

const TOP_LEVEL_FIELDS = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'metadata',
  'stop_sequences',
  'thinking',
  'output_config',
  'cache_control',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
]);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_BREAKPOINTS = 4;
/** Claude families that cannot be kept from thinking. */
const ALWAYS_THINKING = /^claude-(fable|mythos)/;
/** From Claude 5 on sampling parameters and prefill are refused. */
const CLAUDE_5 = /^claude-[a-z]+-([5-9]|\d{2})/;

/** The first rule that the request breaks, or undefined. */
export function checkRequest(headers: NodeJS.Dict<string | string[]>, body: unknown): Refusal | undefined {
  return checkHeaders(headers) ?? checkBody(headers, body);
}

function checkHeaders(headers: NodeJS.Dict<string | string[]>): Refusal | undefined {
  const hasKey = Boolean(headers['x-api-key']) || /^Bearer \S+/.test(String(headers.authorization ?? ''));
  if (!hasKey) return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' };
  return headers['anthropic-version'] ? undefined : invalid('anthropic-version: header is required');
}

function checkBody(headers: NodeJS.Dict<string | string[]>, body: unknown): Refusal | undefined {
  if (!isObject(body)) return invalid('The request body is not valid JSON');
  const unknown = Object.keys(body).find((key) => !TOP_LEVEL_FIELDS.has(key));
  if (unknown !== undefined) return invalid(`${unknown}: Extra inputs are not permitted`);
  if (typeof body.model !== 'string' || body.model === '') return invalid('model: Field required');
  if (body.max_tokens === undefined) return invalid('max_tokens: Field required');
  if (!Number.isInteger(body.max_tokens) || (body.max_tokens as number) < 1) {
    return invalid('max_tokens: Input should be greater than or equal to 1');
  }
  return (
    checkSystem(body.system) ??
    checkTools(body.tools) ??
    checkToolChoice(body) ??
    checkMessages(body.messages) ??
    checkBreakpoints(body) ??
    checkModelLimits(headers, body)
  );
}

function checkSystem(system: unknown): Refusal | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return invalid('system: Input should be a valid list');
  const isBlank = system.some((block: Json) => typeof block.text !== 'string' || block.text === '');
  return isBlank ? invalid('system: text content blocks must be non-empty') : undefined;
}

function checkTools(tools: unknown): Refusal | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return invalid('tools: Input should be a valid list');
  for (const [index, tool] of (tools as Json[]).entries()) {
    const path = `tools.${index}.custom`;
    if (typeof tool.name !== 'string' || !TOOL_NAME.test(tool.name)) {
      return invalid(`${path}.name: String should match pattern '${TOOL_NAME.source}'`);
    }
    if (!isObject(tool.input_schema)) return invalid(`${path}.input_schema: Field required`);
    if (tool.input_schema.type !== 'object')
      return invalid(`${path}.input_schema.type: Input should be 'object'`);
    if (['oneOf', 'anyOf', 'allOf'].some((key) => key in (tool.input_schema as Json))) {
      return invalid(
        `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
    }
  }
  const names = (tools as Json[]).map((tool) => tool.name);
  return new Set(names).size === names.length ? undefined : invalid('tools: Tool names must be unique.');
}

function checkToolChoice({ tool_choice: choice, tools = [], thinking }: Json): Refusal | undefined {
  if (choice === undefined) return undefined;
  if (!isObject(choice) || !['auto', 'any', 'tool', 'none'].includes(String(choice.type))) {
    return invalid('tool_choice: Input tag does not match any of the expected tags');
  }
  if (choice.type !== 'tool' && choice.type !== 'any') return undefined;
  if (choice.type === 'tool' && !(tools as Json[]).some((tool) => tool.name === choice.name)) {
    return invalid(`Tool '${String(choice.name)}' not found in provided tools`);
  }
  const isThinking = isObject(thinking) && thinking.type !== 'disabled';
  return isThinking ? invalid('Thinking may not be enabled when tool_choice forces tool use.') : undefined;
}

function checkBreakpoints(body: Json): Refusal | undefined {
  const found = countBreakpoints(body);
  if (found <= MAX_BREAKPOINTS) return undefined;
  return invalid(
    `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`,
  );
}

function countBreakpoints(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBreakpoints(item), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value.cache_control) ? 1 : 0;
  return (
    own + countBreakpoints(Object.entries(value).flatMap(([key, item]) => (key === 'input' ? [] : [item])))
  );
}

function checkModelLimits(headers: NodeJS.Dict<string | string[]>, body: Json): Refusal | undefined {
  if (
    isObject(body.thinking) &&
    'block_binding' in body.thinking &&
    !hasBeta(headers, 'thinking-binding-controls')
  ) {
    return invalid('thinking.adaptive.block_binding: Extra inputs are not permitted');
  }
  if (
    ALWAYS_THINKING.test(String(body.model)) &&
    isObject(body.thinking) &&
    body.thinking.type === 'disabled'
  ) {
    return invalid('thinking.type: disabled is not supported for this model');
  }
  if (!CLAUDE_5.test(String(body.model))) return undefined;
  const sampling = ['temperature', 'top_p', 'top_k'].find((key) => key in body);
  if (sampling !== undefined) return invalid(`\`${sampling}\` is deprecated for this model.`);
  if ((body.messages as Json[]).at(-1)?.role === 'assistant') {
    return invalid(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  }
  return undefined;
}

function hasBeta(headers: NodeJS.Dict<string | string[]>, name: string): boolean {
  return String(headers['anthropic-beta'] ?? '').includes(name);
}
