import { isObject, type ToolClass } from '#contracts';
import { toBusName, toModelName } from './names.js';
import { toolAboutSchema } from './tool-about.js';
import type { Tool } from './tool.port.js';

const AFTER_A_LOSS: Record<ToolClass, string> = {
  read: 'It changes nothing. When its worker is lost, the call runs again.',
  idempotent: 'Running it twice has the same effect. When its worker is lost, the call runs again.',
  keyed: 'It recognises a repeat by its key, so when its worker is lost, the call runs again.',
  once: 'It never starts again. When its worker is lost, people are told that it may have run.',
};

/**
 * The page of a tool for people who use it, as Markdown: from its definition, and from what its author says `about` it,
 * if that has the right form.
 */
export function toolPage(toolset: string, version: string, { definition, about }: Tool): string {
  const { own_name, description, input_schema, output_schema, timeout_ms } = definition;
  const name = toBusName(toolset, own_name);
  const { errors = {}, examples = [], security, changes = {} } = toolAboutSchema.safeParse(about).data ?? {};
  const sections = [
    `# ${name}`,
    description,
    `Version ${version}. Models call it \`${toModelName(name)}\`.`,
    '## Input',
    fieldTable(input_schema, 'It takes no arguments.'),
    '## Output',
    output_schema
      ? fieldTable(output_schema, 'An object; nothing is said of its fields.')
      : 'Nothing is promised.',
    '## Effect',
    `Class \`${definition.class}\`. ${AFTER_A_LOSS[definition.class]} It ends after ${timeout_ms / 1_000} s at the latest.`,
    ...section(
      'Errors',
      Object.entries(errors).map(([type, when]) => `- \`${type}\`: ${oneLine(when)}`),
    ),
    ...section('Examples', examples.map(exampleOf)),
    ...section('Security', security === undefined ? [] : [security]),
    ...section(
      'Changes',
      Object.entries(changes).map(([since, what]) => `- ${since}: ${oneLine(what)}`),
    ),
  ];
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, parts: readonly string[]): string[] {
  return parts.length === 0 ? [] : [`## ${title}`, parts.join('\n')];
}

function exampleOf({ arguments: args, result }: { arguments: object; result?: unknown }): string {
  const shown = result === undefined ? '' : ` gives \`${JSON.stringify(result)}\``;
  return `- \`${JSON.stringify(args)}\`${shown}`;
}

function fieldTable(schema: Record<string, unknown>, none: string): string {
  const fields = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (fields.length === 0) return none;
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  const rows = fields.map(([name, field]) => {
    const { description } = isObject(field) ? field : {};
    const cells = [`\`${name}\``, typeOf(field), required.includes(name) ? 'yes' : 'no'];
    return [...cells, typeof description === 'string' ? cell(description) : ''];
  });
  const lines = [['name', 'type', 'required', ''], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What people write instead of a schema: its type, its values or its alternatives. */
function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'anything';
  const { type, enum: values, const: value, anyOf, items } = schema;
  if (Array.isArray(values)) return values.map((one) => cell(JSON.stringify(one))).join(', ');
  if (value !== undefined) return cell(JSON.stringify(value));
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `array of ${typeOf(items)}`;
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'anything';
}

function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
