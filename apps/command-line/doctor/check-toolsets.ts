import { ConfigError, type Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { McpConfigError } from '#mcp';
import { createStore } from '#store';
import type { Time } from '#time';
import { ToolSetupError } from '#tools';
import { createToolsets } from '#toolsets';
import { configHere } from './configured-here.js';

const SUBJECT = 'tools';
const MEND = 'docs/tools.md explains files of tools; docs/operations.md explains TOOLSETS and DOCS_DIR.';

/**
 * What a tool worker here would offer: built-in toolsets, files of TOOLS_DIR, which are loaded, and MCP servers, which
 * are not asked. Nothing is run, and nothing is read from the store.
 */
export async function checkToolsets(environment: Environment, time: Time): Promise<Checked[]> {
  const config = configOf(environment);
  if (!config)
    return [{ subject: SUBJECT, level: 'warning', text: 'not checked while the configuration has errors' }];
  // A worker of a group has no store.
  const store = 'dataDir' in config ? createStore({ dataDir: config.dataDir, isReadOnly: true }) : undefined;
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  try {
    const toolsets = await createToolsets(config, { ...time, store, logger: silent });
    const names = toolsets.map(({ name }) => name).join(', ');
    return [{ subject: SUBJECT, level: 'ok', text: `a tool worker here hosts ${names}` }];
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((text) => ({ subject: SUBJECT, level: 'error', text, mend: MEND }));
    if (error instanceof ToolSetupError)
      return [{ subject: SUBJECT, level: 'error', text: error.message, mend: MEND }];
    // A wrong list of MCP servers is described once, where these are checked.
    if (error instanceof McpConfigError) return [];
    throw error;
  }
}

function configOf(environment: Environment) {
  try {
    return configHere(environment);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
