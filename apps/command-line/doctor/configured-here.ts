import { loadStandaloneConfig, loadToolWorkerConfig, type Environment } from '#bootstrap';

/** The group of the worker that would start with these variables, which then has no store. */
export function groupHere({ WORKER_GROUP: group = '' }: Environment): string | undefined {
  return group.trim() || undefined;
}

/** What would start with these variables: a worker of a group, or every role at once. Throws `ConfigError`. */
export function configHere(environment: Environment) {
  // Only a gateway knows which dialects exist.
  const { DIALECTS: _dialects, ...known } = environment;
  return groupHere(environment) === undefined ? loadStandaloneConfig(known) : loadToolWorkerConfig(known);
}
