import { RequestError } from './request-error.js';

/** A client named a model that the deployment does not let clients use; the message lists those that it does. */
export class ModelNotAllowed extends RequestError {
  override name = 'ModelNotAllowed';

  constructor(message: string) {
    super('invalid', message);
  }
}
