import { RequestError } from './request-error.js';

/** A client named a model that the deployment does not allow. The message lists the allowed ones. */
export class ModelNotAllowed extends RequestError {
  override name = 'ModelNotAllowed';

  constructor(message: string) {
    super('invalid', message);
  }
}
