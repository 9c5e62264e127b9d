import { HttpError, readModels } from '../connection/http.js';
import { Observable } from '../state/observable.js';

/** The name of the built-in model that needs no provider. */
export const DEMO = 'demo';

/** The model of turns that name none; undefined while it is unknown. */
export class DefaultModel {
  readonly name = new Observable<string | undefined>(undefined);

  /** What was known stays when it cannot be read. */
  async read(): Promise<void> {
    try {
      this.name.set((await readModels()).default);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }
}
