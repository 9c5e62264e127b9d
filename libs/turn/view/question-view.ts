import type { Answer, CallView } from '#contracts';

type Asked = Pick<NonNullable<Answer['question']>, 'message' | 'schema' | 'connection' | 'among'>;

/** What a view shows of a question, read from its row or from its event. Absent members stay absent. */
export function questionView(
  number: number,
  { message, schema, connection, among }: Asked,
): NonNullable<CallView['question']> {
  return { number, message, schema, ...(connection && { connection }), ...(among && { among }) };
}
