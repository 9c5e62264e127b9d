import { useId } from 'react';
import type { QuestionField as Field } from '#contracts';
import { choicesOf } from '#turn';
import { toLocalTime } from './question-values.js';

interface FieldProps {
  name: string;
  field: Field;
  isRequired: boolean;
  /** The reason why the entered value is invalid. */
  problem: string | undefined;
}

/** The references of a field's control to its label, its help and its problem. */
interface ControlProps extends FieldProps {
  id: string;
  describedBy: string | undefined;
}

/** One field of a question, with its label, help and problem. */
export function QuestionField(props: FieldProps) {
  const { name, field, isRequired, problem } = props;
  const id = useId();
  const ids = [field.description && `${id}-help`, problem && `${id}-problem`].filter(Boolean).join(' ');
  const control = { ...props, id, describedBy: ids || undefined };
  const label = (
    <>
      {field.title ?? name}
      {!isRequired && field.type !== 'boolean' && <span className="quiet"> (optional)</span>}
    </>
  );
  const notes = (
    <>
      {field.description && (
        <span id={`${id}-help`} className="quiet">
          {field.description}
        </span>
      )}
      {problem && (
        <span id={`${id}-problem`} className="ask-problem">
          {capitalized(problem)}.
        </span>
      )}
    </>
  );
  if (field.type === 'array') return <Choices {...control} label={label} notes={notes} field={field} />;
  return (
    <div className={field.type === 'boolean' ? 'ask-field ask-check' : 'ask-field'}>
      <label htmlFor={id}>{label}</label>
      <Control {...control} />
      {notes}
    </div>
  );
}

function Control({ id, name, field, isRequired, problem, describedBy }: ControlProps) {
  const shared = {
    id,
    name,
    'aria-invalid': problem !== undefined,
    'aria-describedby': describedBy,
    'aria-required': isRequired,
  };
  if (field.type === 'boolean')
    return <input {...shared} type="checkbox" defaultChecked={field.default === true} />;
  const choices = choicesOf(field);
  if (choices) {
    const initial = field.default === undefined ? '' : String(field.default);
    return (
      <select {...shared} className="field" defaultValue={initial}>
        <option value="">{isRequired ? 'Choose …' : 'No answer'}</option>
        {choices.map(({ value, title }) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    );
  }
  return <input {...shared} {...inputOf(field)} className="field" autoComplete="off" />;
}

interface ChoicesProps extends ControlProps {
  field: Extract<Field, { type: 'array' }>;
  label: React.ReactNode;
  notes: React.ReactNode;
}

function Choices({ id, name, field, label, notes, describedBy, problem }: ChoicesProps) {
  return (
    <fieldset className="ask-field" aria-describedby={describedBy}>
      <legend>{label}</legend>
      {choicesOf(field)!.map(({ value, title }, index) => (
        <div key={value} className="ask-check">
          <input
            id={`${id}-${index}`}
            name={name}
            value={value}
            type="checkbox"
            aria-invalid={problem !== undefined}
            defaultChecked={field.default?.includes(value)}
          />
          <label htmlFor={`${id}-${index}`}>{title}</label>
        </div>
      ))}
      {notes}
    </fieldset>
  );
}

const typesOfFormat = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const;

/** The best input for a text or number field. Invalid values are reported by our own texts. */
function inputOf(field: Field) {
  const initial = Array.isArray(field.default) || field.default === undefined ? '' : String(field.default);
  if (field.type === 'number' || field.type === 'integer')
    return { type: 'number', step: field.type === 'integer' ? 1 : 'any', defaultValue: initial };
  const format = 'format' in field ? field.format : undefined;
  if (!format) return { type: 'text', defaultValue: initial };
  const defaultValue = format === 'date-time' ? toLocalTime(initial) : initial;
  return { type: typesOfFormat[format], defaultValue };
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
