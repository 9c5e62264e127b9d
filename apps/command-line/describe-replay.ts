import type { Replay, ReplayedCall, ReplayedStep, ReplayNext } from '#contracts';
import { toTerminalSafe } from '#observability';

const NEXT: Record<ReplayNext, string> = {
  nothing: 'nothing',
  model: 'a model is asked for the next step',
  calls: 'calls of the last step end',
  person: 'a person answers',
};

/** A turn as text. What people, models and tools wrote is indented, so that it cannot pass for a line of ours. */
export function describeReplay(replay: Replay): string {
  const { turn_id, conversation_id, number, user_id, at, content, options, status, steps } = replay;
  const chosen = Object.keys(options);
  return [
    `Turn ${number} of ${conversation_id} (${turn_id}), of user ${user_id}, played from its journal: nothing runs.`,
    `MESSAGE  ${at}${chosen.length > 0 ? `  options: ${chosen.join(', ')}` : ''}`,
    ...quoted(content),
    ...steps.flatMap(describeStep),
    `STATUS  ${status}, then: ${NEXT[replay.next]}`,
    ...describeDifferences(replay),
    `Left out: ${replay.left_out.join('; ')}.`,
    '',
  ]
    .map((line) => toTerminalSafe(line).replaceAll('\n', '\uFFFD'))
    .join('\n');
}

function describeDifferences({ differences, steps }: Replay): string[] {
  if (differences.length === 0)
    return [`This version decides as was recorded, at each of ${steps.length} steps.`];
  return ['This version would have done something else:', ...differences.map((text) => `  ${text}`)];
}

function describeStep({
  n,
  kind,
  at,
  model,
  usage,
  text,
  thinking,
  error,
  calls,
  ...step
}: ReplayedStep): string[] {
  const facts = [
    `STEP ${n}`,
    at,
    kind,
    ...(model === undefined ? [] : [model]),
    ...(step.asks_model ? [] : [kind === 'fail' ? 'no answer of a model' : 'no model was asked']),
    `attempt ${step.attempt}`,
    ...(step.stop_reason === null ? [] : [step.stop_reason]),
    ...(usage && step.asks_model ? [`${usage.input_tokens} tokens in, ${usage.output_tokens} out`] : []),
  ];
  return [
    facts.join('  '),
    ...(thinking === undefined ? [] : ['  thinking', ...quoted(thinking)]),
    ...(text === '' ? [] : quoted(text)),
    ...(error ? [`  ${error.code}`, ...quoted(error.message)] : []),
    ...calls.flatMap(describeCall),
  ];
}

function describeCall(call: ReplayedCall): string[] {
  const { tool_call_id, tool_name, state, attempt, worker, duration_ms, error, result } = call;
  const how = [
    ...(attempt > 0 ? [`attempt ${attempt}`] : []),
    ...(worker === undefined ? [] : [`by ${worker}`]),
    ...(duration_ms === undefined ? [] : [`${duration_ms} ms`]),
  ];
  return [
    `  CALL ${tool_call_id}  ${tool_name}`,
    ...quoted(JSON.stringify(call.args)),
    ...call.answers.flatMap(describeAnswer),
    `  ${state}${how.length > 0 ? `  ${how.join(', ')}` : ''}`,
    ...(result === undefined ? [] : quoted(result)),
    ...(error ? quoted(`${error.error_type}: ${error.error_message}`) : []),
    ...(call.truncated ? ['  Cut: the route of the call has all of it.'] : []),
  ];
}

function describeAnswer({
  decision,
  question,
  action = 'accept',
  content,
  by,
  at,
}: ReplayedCall['answers'][number]) {
  if (decision !== undefined) return [`  APPROVAL  ${at}  ${decision} by ${by}`];
  if (question) return [`  QUESTION  ${at}  by ${by}`, ...quoted(question.message)];
  return [`  ANSWER  ${at}  ${action} by ${by}`, ...(content ? quoted(JSON.stringify(content)) : [])];
}

function quoted(text: string): string[] {
  return text.split('\n').map((line) => `    | ${line}`);
}
