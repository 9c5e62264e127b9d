import type { CallView } from '#contracts';
import { useId, useState, type FormEvent } from 'react';
import { RequestError } from '../connection/connection.js';
import { useIsCutOff } from '../frame/cut-off.js';
import { useSession } from '../session.js';

interface Field {
  type?: 'string' | 'number' | 'integer' | 'boolean';
  title?: string;
  description?: string;
  enum?: string[];
  default?: string | number | boolean;
}

interface QuestionFormProps {
  call: CallView;
  question: NonNullable<CallView['question']>;
  turnId: string;
}

/** A tool asks its person. The schema is flat: strings, numbers, choices and yes or no. */
export function QuestionForm({ call, question, turnId }: QuestionFormProps) {
  const { connection } = useSession();
  const isCutOff = useIsCutOff();
  const titleId = useId();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { properties = {}, required = [] } = question.schema as {
    properties?: Record<string, Field>;
    required?: string[];
  };
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const content = readAnswers(new FormData(event.currentTarget), properties);
    setSending(true);
    setProblem(undefined);
    try {
      await connection.request('input', { turn_id: turnId, tool_call_id: call.tool_call_id, content });
    } catch (error) {
      setSending(false);
      setProblem(error instanceof RequestError ? error.message : 'The answer could not be sent.');
    }
  };
  return (
    <form className="ask" aria-labelledby={titleId} onSubmit={(event) => void submit(event)}>
      <h3 id={titleId}>
        {call.toolset} asks: {question.message}
      </h3>
      <div className="ask-fields">
        {Object.entries(properties).map(([name, field]) => (
          <label key={name} className={field.type === 'boolean' ? 'ask-check' : undefined}>
            {field.title ?? name}
            <Answer name={name} field={field} isRequired={required.includes(name)} />
            {field.description && <span className="quiet">{field.description}</span>}
          </label>
        ))}
      </div>
      {problem && (
        <p className="ask-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="ask-actions">
        <span className="grow quiet">Your answer goes to this server. Never enter a password here.</span>
        <button type="submit" className="button button-main" disabled={isSending || isCutOff}>
          Answer
        </button>
      </div>
    </form>
  );
}

function Answer({ name, field, isRequired }: { name: string; field: Field; isRequired: boolean }) {
  if (field.type === 'boolean')
    return <input type="checkbox" name={name} defaultChecked={field.default === true} />;
  const initial = field.default === undefined ? '' : String(field.default);
  if (field.enum) {
    return (
      <select className="field" name={name} defaultValue={initial} required={isRequired}>
        {!isRequired && <option value="" />}
        {field.enum.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  }
  const isNumber = field.type === 'number' || field.type === 'integer';
  return (
    <input
      className="field"
      name={name}
      type={isNumber ? 'number' : 'text'}
      step={field.type === 'integer' ? 1 : 'any'}
      defaultValue={initial}
      required={isRequired}
      autoComplete="off"
    />
  );
}

function readAnswers(form: FormData, properties: Record<string, Field>): Record<string, unknown> {
  const answers: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(properties)) {
    const value = form.get(name);
    if (field.type === 'boolean') answers[name] = value !== null;
    else if (typeof value !== 'string' || value === '') continue;
    else answers[name] = field.type === 'number' || field.type === 'integer' ? Number(value) : value;
  }
  return answers;
}
