import type { z } from 'zod';
import { isObject, type Checked } from '#contracts';
import { toBusName, toModelName } from './names.js';
import { InputSchemas } from './input-schemas.js';
import { toolAboutSchema } from './tool-about.js';
import type { Tool, ToolDescription } from './tool.port.js';

/** Fewer characters tell a model neither what a tool does nor when to use it. */
const SHORTEST_DESCRIPTION = 20;
/** What the strictest provider takes. */
const LONGEST_DESCRIPTION = 1_024;

type Finding = Pick<Checked, 'text' | 'mend'>;

/** What an author should change before others use the tool; empty: nothing. The tool can be offered as it is. */
export function reviewTool(
  toolset: string,
  { definition: tool, about }: Pick<Tool, 'definition' | 'about'>,
): Checked[] {
  const name = toBusName(toolset, tool.own_name);
  const findings = [
    reviewVersion(tool),
    reviewDescription(tool),
    reviewArguments(tool),
    reviewStrictness(tool),
    reviewName(name),
    reviewAbout(tool, about),
  ];
  return findings.flatMap((found) => (found ? [{ subject: name, level: 'warning' as const, ...found }] : []));
}

function reviewVersion({ version }: ToolDescription): Finding | undefined {
  if (version !== undefined) return undefined;
  return {
    text: 'it has no version, so it is 1.0.0 for ever, and no change can be told from another',
    mend: "Add version: '1.0.0', and raise it with each change.",
  };
}

function reviewDescription({ description }: ToolDescription): Finding | undefined {
  const { length } = description.trim();
  if (length < SHORTEST_DESCRIPTION)
    return {
      text: 'its description is too short for a model to know when to use it',
      mend: 'Say what it does, and when to use it.',
    };
  if (length <= LONGEST_DESCRIPTION) return undefined;
  return {
    text: `its description has ${length} characters, more than some providers take`,
    mend: `Cut it to ${LONGEST_DESCRIPTION}: the rest is moved into its schema.`,
  };
}

function reviewArguments({ input_schema: { properties } }: ToolDescription): Finding | undefined {
  const all = isObject(properties) ? Object.entries(properties) : [];
  const bare = all.filter(([, schema]) => !isObject(schema) || typeof schema.description !== 'string');
  if (bare.length === 0) return undefined;
  return {
    text: `models know nothing but the names of these arguments: ${bare.map(([name]) => name).join(', ')}`,
    mend: 'Add .describe() to each.',
  };
}

function reviewStrictness({ input_schema: { additionalProperties } }: ToolDescription): Finding | undefined {
  if (additionalProperties !== undefined && additionalProperties !== true) return undefined;
  return {
    text: 'it takes arguments that it does not name, so a misspelled one is ignored',
    mend: 'Use z.strictObject.',
  };
}

/** Checked here, and not by the worker, which has no use for it. */
function reviewAbout({ input_schema, output_schema }: ToolDescription, about: unknown): Finding | undefined {
  const { data, error } = toolAboutSchema.safeParse(about ?? {});
  if (!data) {
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    const text = `its page cannot be made: ${['about', ...path].join('.')}: ${message}`;
    return { text, mend: 'docs/tools.md of Switchyard shows what about may have.' };
  }
  const fitsInput = checkOf(input_schema);
  const fitsOutput = checkOf(output_schema ?? {});
  const mend = 'Mend the example.';
  for (const [i, { arguments: args, result }] of (data.examples ?? []).entries()) {
    if (!fitsInput(args)) return { text: `the arguments of example ${i + 1} do not fit its input`, mend };
    if (result !== undefined && !fitsOutput(result))
      return { text: `the result of example ${i + 1} does not fit its output`, mend };
  }
  return undefined;
}

/** A schema that cannot be used judges nothing here. */
function checkOf(schema: Record<string, unknown>): (value: unknown) => boolean {
  const compiled = new InputSchemas().compile(schema);
  return 'unusable' in compiled ? () => true : (value) => compiled.check(value);
}

function reviewName(name: string): Finding | undefined {
  const shown = toModelName(name);
  if (shown === name.replaceAll('.', '__')) return undefined;
  return { text: `models see it as ${shown}`, mend: 'Give it a shorter name.' };
}
