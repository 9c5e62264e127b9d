import { Observable } from './observable.js';

/**
 * What this page keeps on this device under names that begin with `switchyard.`. Where the browser forbids that, or has
 * no space left, a value is kept as long as the page is open, and `isForgetful` is true so that the page can say so.
 */
export class DeviceStorage {
  readonly isForgetful = new Observable(false);
  /** Values that could not be stored. */
  private readonly held = new Map<string, string>();

  /** `open` throws where the browser forbids storage. */
  constructor(private readonly open: () => Storage) {}

  get(key: string): string | null {
    return this.held.get(key) ?? this.try((storage) => storage.getItem(key)) ?? null;
  }

  set(key: string, value: string): void {
    if (this.get(key) === value) return;
    this.held.set(key, value);
    this.storeHeld();
  }

  remove(key: string): void {
    this.held.delete(key);
    this.try((storage) => storage.removeItem(key));
    this.storeHeld();
  }

  keys(prefix: string): string[] {
    const stored = this.try((storage) => Object.keys(storage)) ?? [];
    return [...new Set([...stored, ...this.held.keys()])].filter((key) => key.startsWith(prefix));
  }

  /** Each once more, because there may be space by now. An outdated value must not come back after a reload. */
  private storeHeld(): void {
    for (const [key, value] of this.held) {
      const isStored = this.try((storage) => {
        storage.removeItem(key);
        storage.setItem(key, value);
        return true;
      });
      if (isStored) this.held.delete(key);
    }
    this.isForgetful.set(this.held.size > 0);
  }

  private try<T>(attempt: (storage: Storage) => T): T | undefined {
    try {
      return attempt(this.open());
    } catch {
      return undefined;
    }
  }
}

/** For all tabs, across restarts of the browser. */
export const deviceStorage = new DeviceStorage(() => localStorage);

/** For this tab. */
export const tabStorage = new DeviceStorage(() => sessionStorage);
