import { isObject, type CatalogTool, type ToolClass, type ToolSource } from '#contracts';

interface ParameterBody {
  name: string;
  type: string;
  description?: string;
  required: boolean;
}

/** A tool as `GET /api/tools` lists it (Genesis contract §2, and its class). */
export interface ToolBody {
  name: string;
  description?: string;
  source: ToolSource;
  parameters: ParameterBody[];
  toolset: string;
  qualified_name: string;
  class: ToolClass;
  /** The author's, or that of its toolset. */
  version?: string;
  input_schema: Record<string, unknown>;
  /** What its results promise; absent: nothing. */
  output_schema?: Record<string, unknown>;
}

export function toToolBody(tool: CatalogTool): ToolBody {
  return {
    name: tool.display_name,
    ...(tool.description === '' ? {} : { description: tool.description }),
    source: tool.source,
    parameters: parametersOf(tool.input_schema),
    toolset: tool.toolset,
    qualified_name: tool.name,
    class: tool.class,
    ...(tool.version === undefined ? {} : { version: tool.version }),
    input_schema: tool.input_schema,
    ...(tool.output_schema && { output_schema: tool.output_schema }),
  };
}

/** Schemas come from third parties: nothing in them is trusted to have its shape. */
function parametersOf(schema: Record<string, unknown>): ParameterBody[] {
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return Object.entries(asObject(schema.properties)).map(([name, property]) => {
    const { type, description } = asObject(property);
    return {
      name,
      type: typeName(type),
      ...(typeof description === 'string' ? { description } : {}),
      required: required.includes(name),
    };
  });
}

/** Of a list the first that is not `null`. */
function typeName(type: unknown): string {
  const candidates: unknown[] = Array.isArray(type) ? type : [type];
  const name = candidates.find((candidate) => typeof candidate === 'string' && candidate !== 'null');
  return typeof name === 'string' ? name : 'any';
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
