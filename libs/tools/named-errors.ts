import { errorDetail, type ErrorDetail, type ErrorType } from '#contracts';
import { ToolError } from './tool.port.js';

type Details = ErrorDetail['error_details'];

/** An error class whose failures have this type. Messages are for people and models: no secrets. */
function named(type: ErrorType) {
  return class extends ToolError {
    constructor(message: string, details?: Details) {
      super(errorDetail(type, message, details));
    }
  };
}

/** The same with the time after which another attempt makes sense, in milliseconds. */
function retryable(type: ErrorType) {
  return class extends ToolError {
    constructor(message: string, retryAfterMs?: number) {
      super(
        errorDetail(type, message, retryAfterMs === undefined ? undefined : { retry_after_ms: retryAfterMs }),
      );
    }
  };
}

/** A file that the tool was asked for does not exist. */
export class FileNotFoundError extends named('FileNotFoundError') {}
/** Something else that the tool was asked for does not exist. */
export class ResourceNotFoundError extends named('ResourceNotFound') {}
/** Credentials are missing or have expired. */
export class AuthenticationError extends named('AuthenticationError') {}
/** Who asks is known, and may not. */
export class PermissionError extends named('PermissionError') {}
/** A rate limit of this tool or of what it uses. */
export class ApiLimitError extends retryable('ApiLimitExceeded') {}
/** What the tool uses is not there. */
export class DependencyUnavailableError extends retryable('DependencyUnavailable') {}

/** An argument fits its schema, and still cannot be used. */
export class ValidationError extends ToolError {
  constructor(parameter: string, constraint: string) {
    const details = { parameter, provided_value: null, constraint };
    super(errorDetail('ValidationError', `${parameter}: ${constraint}`, details));
  }
}
