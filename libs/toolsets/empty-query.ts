import { ToolError } from '#tools';

/** Throws for a query without a word. */
export function refuseEmptyQuery(query: string): void {
  if (query.trim() !== '') return;
  throw new ToolError({
    error_type: 'ValidationError',
    error_message: 'Invalid query: Query cannot be empty',
    error_details: {
      parameter: 'query',
      provided_value: query.slice(0, 200),
      constraint: 'must not be empty',
    },
  });
}
