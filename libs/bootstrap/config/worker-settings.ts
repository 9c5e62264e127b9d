import { KEY_VARIABLES } from '#llm';

type Environment = Record<string, string | undefined>;

const FOREIGN_SECRETS = [...KEY_VARIABLES, 'JWT_SECRET'];

/**
 * Programs that a tool worker starts can read its whole environment in /proc, so secrets of other processes do not
 * belong there.
 */
export function findForeignSecrets(set: Environment): string[] {
  const names = FOREIGN_SECRETS.filter((name) => set[name] !== undefined);
  if (names.length === 0) return [];
  const are = names.length === 1 ? 'is' : 'are';
  return [
    `${names.join(', ')} ${are} set, which no tool worker needs: the MCP servers that it starts could read ${names.length === 1 ? 'it' : 'them'}`,
  ];
}

/** A worker with both would have rights that its group is not to have. */
export function findWorkerProblems({ MONGODB_URL, WORKER_GROUP }: Environment): string[] {
  if (MONGODB_URL !== undefined && WORKER_GROUP !== undefined)
    return ['MONGODB_URL and WORKER_GROUP are both set: a worker of a group has no store, unset one of them'];
  if (MONGODB_URL === undefined && WORKER_GROUP === undefined)
    return [
      'MONGODB_URL is missing: it must be a URL like mongodb://host:27017/switchyard?replicaSet=rs0, or WORKER_GROUP must name the group of a worker without the store',
    ];
  return [];
}

/** For a worker that cannot have the store: it would look as if the address counted. */
export function findStoreProblems({ MONGODB_URL }: Environment): string[] {
  return MONGODB_URL === undefined
    ? []
    : ['MONGODB_URL is set: a worker of a group has no store and must not know its address, unset it'];
}
