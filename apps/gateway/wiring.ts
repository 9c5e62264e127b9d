/** A class whose members are created in the order in which they are written. A given member replaces a new one. */
export abstract class Wiring<Deps> {
  private readonly parts = new Map<string, unknown>();

  constructor(
    protected readonly deps: Deps,
    private readonly given: object,
  ) {}

  /** For the initializer of the member of this name. */
  protected part<T>(name: keyof this & string, make: () => T): T {
    const part = name in this.given ? (this.given as Record<string, T>)[name]! : make();
    this.parts.set(name, part);
    return part;
  }

  /** Call it after all members exist. Throws for a part that cannot be given, and for a part under a wrong name. */
  protected check(): void {
    const wrong = [
      ...Object.keys(this.given).filter((name) => !this.parts.has(name)),
      ...[...this.parts].flatMap(([name, part]) => (this[name as keyof this] === part ? [] : [name])),
    ];
    if (wrong.length > 0) throw new TypeError(`not a part that can be given: ${wrong.join(', ')}`);
  }
}
