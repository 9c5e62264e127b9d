import { useId, useLayoutEffect, useRef, useState, type SubmitEvent } from 'react';
import type { CallView, QuestionSchema } from '#contracts';
import { checkAnswer, type AnswerProblem } from '#turn';
import { useFocusOfRow } from './focus-of-row.js';
import { QuestionField } from './question-field.js';
import { readAnswer } from './question-values.js';
import { useAnswer } from './use-answer.js';

interface QuestionFormProps {
  call: CallView;
  question: NonNullable<CallView['question']>;
  turnId: string;
}

/** Shows a tool's question to the user, in place. It never takes the focus before the user has tried to answer. */
export default function QuestionForm({ call, question, turnId }: QuestionFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusOfRow(form);
  const titleId = useId();
  const schema = { properties: {}, ...question.schema } as QuestionSchema;
  const { send, isBlocked, refused } = useAnswer(call, question, turnId);
  const [problems, setProblems] = useState<AnswerProblem[]>([]);
  useLayoutEffect(() => {
    if (problems.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBlocked) return;
    const content = readAnswer(schema, new FormData(event.currentTarget));
    const found = checkAnswer(schema, content);
    setProblems(found);
    if (found.length === 0) void send({ content });
  };
  return (
    <form ref={form} className="ask" aria-labelledby={titleId} noValidate onSubmit={submit}>
      <h3 id={titleId}>
        {call.toolset} asks: {question.message}
      </h3>
      {question.among && (
        <p className="quiet">
          One of {question.among} calls of {call.toolset} asks this; the server does not say which.
        </p>
      )}
      <div className="ask-fields">
        {Object.entries(schema.properties).map(([name, field]) => (
          <QuestionField
            key={name}
            name={name}
            field={field}
            isRequired={schema.required?.includes(name) ?? false}
            problem={problems.find((problem) => problem.field === name)?.problem}
          />
        ))}
      </div>
      {refused && (
        <p className="ask-problem" role="alert">
          {refused}
        </p>
      )}
      <div className="ask-actions">
        <span className="grow quiet">
          Your answer goes to {call.source === 'mcp' ? 'this server' : 'this tool'}. Never enter a password
          here.
        </span>
        <button
          type="button"
          className="button"
          aria-disabled={isBlocked}
          onClick={() => isBlocked || void send({ action: 'decline' })}
        >
          Decline
        </button>
        <button type="submit" className="button button-main" aria-disabled={isBlocked}>
          Answer
        </button>
      </div>
    </form>
  );
}
