/** Members that are made in the order in which they are written, each from the ones before it, unless it was given. */
export abstract class Wiring<Deps> {
  constructor(
    protected readonly deps: Deps,
    private readonly given: object,
  ) {}

  /** For the initializer of the member of this name. */
  protected part<T>(name: keyof this & string, make: () => T): T {
    return name in this.given ? (this.given as Record<string, T>)[name]! : make();
  }
}
