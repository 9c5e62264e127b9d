import { type Question, type Reply } from '#tools';
import { createMcpToolsets, parseMcpConfig } from '#mcp';
import { systemTime } from '#time';
import { toolContext } from '../../libs/toolsets/testing/tool-context.js';
import { giveAccess, oauthServer, openConnections } from './acting-for-a-person.js';

/*
 * The client that the MCP conformance suite tests: our own toolset, told by the suite which server to talk to and
 * which scenario it plays. Run by test/conformance/main.ts.
 */
const OFFER_MS = 10_000;
const url = process.argv.at(-1)!;
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, unknown>;
const log = (level: string) => (fields: object, message: string) =>
  process.stderr.write(`${level} ${message} ${JSON.stringify(fields)}\n`);
const logger = { info: log('info'), warn: log('warn'), error: log('error') };

const actsForPerson = scenario.startsWith('auth/');
const time = systemTime();
const connections = actsForPerson ? await openConnections(time.clock) : undefined;
const entry = actsForPerson ? oauthServer(url, context) : { url };
const config = JSON.stringify({ mcpServers: { conformance: entry } });
const [toolset] = createMcpToolsets(parseMcpConfig(config, 'mcp.json', {}), logger, {
  ...time,
  connections,
  timings: { firstTryMs: 20_000, maxPauseMs: 1000 },
});

await offered();
for (const tool of toolset!.tools()) {
  await callOnce(tool);
  // Its server changes its issuer after the first call.
  if (scenario === 'auth/authorization-server-migration') await callOnce(tool);
}
await toolset!.stop();
process.exit(0);

/** Resolves when the tools are there, or will not be. */
async function offered(): Promise<void> {
  await toolset!.start();
  await new Promise<void>((resolve) => {
    const look = () => toolset!.tools().length > 0 && resolve();
    toolset!.onChange(look);
    setTimeout(resolve, OFFER_MS);
    look();
  });
}

async function callOnce({ definition, run }: ReturnType<NonNullable<typeof toolset>['tools']>[number]) {
  try {
    const result = await run(argumentsFor(definition), toolContext({ ask: answer }));
    process.stderr.write(`${definition.own_name}: ${JSON.stringify(result)}\n`);
  } catch (error) {
    process.stderr.write(`${definition.own_name}: ${String(error)}\n`);
  }
}

/** What the scenario gives for the tool, else the least that its schema takes. */
function argumentsFor({
  own_name,
  input_schema,
}: {
  own_name: string;
  input_schema: Record<string, unknown>;
}) {
  const given = (context.toolCalls ?? []) as { name: string; arguments: Record<string, unknown> }[];
  const named = given.find(({ name }) => name === own_name);
  if (named) return named.arguments;
  if (own_name === 'json_schema_echo') return { inputSchema: schemaOf('json_schema_2020_12_tool') };
  const { properties = {}, required = [] } = input_schema as ObjectSchema;
  return valuesFor(properties, scenario === 'http-custom-headers' ? Object.keys(properties) : required);
}

interface ObjectSchema {
  properties?: Record<string, { type?: string; default?: unknown; enum?: unknown[] }>;
  required?: string[];
}

function valuesFor(properties: NonNullable<ObjectSchema['properties']>, names: string[]) {
  const sample = { string: 'text', number: 2, integer: 2, boolean: true, array: [], object: {}, null: null };
  return Object.fromEntries(
    names.map((name) => {
      const { type, default: fallback, enum: choices } = properties[name] ?? {};
      return [name, fallback ?? choices?.[0] ?? sample[(type ?? 'string') as keyof typeof sample]];
    }),
  );
}

function answer(question: Question): Promise<Reply> {
  return connections ? giveAccess(connections, question) : agree(question);
}

/** A person who sends the form as it opens. */
async function agree({ schema }: Question): Promise<Reply> {
  const { properties = {}, required = [] } = schema as ObjectSchema;
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || properties[name]!.default !== undefined,
  );
  return { action: 'accept', content: valuesFor(properties, names) };
}

/** As we would show it to a model. */
function schemaOf(name: string): unknown {
  return toolset!.tools().find(({ definition }) => definition.own_name === name)?.definition.input_schema;
}
