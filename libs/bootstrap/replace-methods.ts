/** The same object with these methods in place of its own. */
export function replaceMethods<T extends object>(target: T, replaced: Partial<T>): T {
  const methods = new Map<string | symbol, unknown>(Object.entries(replaced));
  return new Proxy(target, {
    get(_target, name) {
      if (methods.has(name)) return methods.get(name);
      // The receiver is the target, so that private fields of classes stay reachable.
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name === 'constructor') return member;
      const bound = member.bind(target) as unknown;
      methods.set(name, bound);
      return bound;
    },
  });
}
