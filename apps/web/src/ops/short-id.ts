const PROCESS_ID = /^((?:gateway|orchestrator|worker)-[0-9a-f]{8})-[0-9a-f-]{27}$/;

/** `worker-7c1de2a4` instead of the whole id of a process; everything else as it is. */
export function shortId(id: string): string {
  return PROCESS_ID.exec(id)?.[1] ?? id;
}
