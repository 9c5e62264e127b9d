interface Program {
  command: string;
  args: string[];
  uid?: number | undefined;
  gid?: number | undefined;
}

/**
 * The command line of a server. A server with its own user starts through `setpriv` (util-linux), so it can read neither
 * the environment nor the memory of its worker. `setpriv` replaces itself with the program, so it leaves no process
 * between them.
 */
export function commandAsUser({ command, args, uid, gid = uid }: Program): {
  command: string;
  args: string[];
} {
  if (uid === undefined) return { command, args };
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
  return { command: 'setpriv', args: [...identity, '--', command, ...args] };
}

/** Why this process cannot start a server as another user; undefined when it can. */
export function findUserProblem(): string | undefined {
  if (process.platform !== 'linux')
    return 'works on Linux only: leave it out, or run the server in a container.';
  if (process.getuid?.() !== 0)
    return 'needs a tool worker that runs as root, because only root can start a process as another user.';
  return undefined;
}
