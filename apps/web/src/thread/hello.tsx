import { Icon } from '../frame/icon.js';
import { DEMO } from '../session/default-model.js';
import { useObservable, useSession } from '../session/session.js';

const ideas: { question: string; tools: string }[] = [
  { question: 'What is 17 + 25?', tools: 'one call of math' },
  { question: 'What is 12 × 12 and 3 + 4?', tools: 'two calls of math, at the same time' },
  { question: 'Search the documents for “side effects”', tools: 'full-text search in the documents' },
];

export function Hello() {
  return (
    <div className="well hello">
      <h1>What needs doing?</h1>
      <p>Ask a question or hand over a task. Every tool call shows what went in and what came out.</p>
    </div>
  );
}

/** So that nobody takes the answers for those of a model that reads. */
export function DemoNote() {
  const { defaultModel } = useSession();
  if (useObservable(defaultModel.name) !== DEMO) return null;
  return (
    <div className="well">
      <p className="demo-note">
        <Icon name="info" />
        <span>
          The built-in demo model answers. It always gives the same answers and needs no network. Set{' '}
          <code>MODEL</code> where Switchyard runs to use another one.
        </span>
      </p>
    </div>
  );
}

/** Questions that the built-in demo model also answers. */
export function Ideas({ onPick }: { onPick: (question: string) => void }) {
  return (
    <div className="well">
      <ul className="ideas" aria-label="Examples">
        {ideas.map(({ question, tools }) => (
          <li key={question}>
            <button type="button" onClick={() => onPick(question)}>
              <b>{question}</b>
              <span>{tools}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
