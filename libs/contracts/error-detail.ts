import type { ErrorDetail, ErrorType } from './tool-messages.js';

/** Messages are for people and models: no stack trace, no secret. */
export function errorDetail(
  type: ErrorType,
  message: string,
  details?: ErrorDetail['error_details'],
): ErrorDetail {
  return { error_type: type, error_message: message, ...(details == null ? {} : { error_details: details }) };
}
