import type { StepView, TurnView } from '#contracts';
import { memo } from 'react';
import type { Passing } from '../conversation/passing.js';
import { hasEnded } from '../conversation/conversations.js';
import { useIsCutOff } from '../frame/cut-off.js';
import { StepCard } from '../timeline/step-card.js';
import { Markdown } from './markdown.js';
import { OwnMessage } from './own-message.js';
import { TurnEnd } from './turn-end.js';
import { TurnNow } from './turn-now.js';

/** One message of a person and everything it set off. */
export const Turn = memo(function Turn({ turn, passing }: { turn: TurnView; passing: Passing }) {
  const isEnded = hasEnded(turn);
  return (
    <article className="turn" data-status={turn.status}>
      <OwnMessage content={turn.content} />
      <div className="answer">
        <h3 className="visually-hidden">Switchyard</h3>
        {turn.steps.map((step, index) => (
          <Step
            key={step.n}
            step={step}
            turn={turn}
            isStreaming={!isEnded && index === turn.steps.length - 1 && !step.committed}
            progress={passing.progress}
          />
        ))}
        {isEnded ? <TurnEnd turn={turn} /> : <TurnNow turn={turn} passing={passing} />}
      </div>
    </article>
  );
});

interface StepProps {
  step: StepView;
  turn: TurnView;
  isStreaming: boolean;
  progress: Passing['progress'];
}

function Step({ step, turn, isStreaming, progress }: StepProps) {
  const isCutOff = useIsCutOff();
  const hasCursor = isStreaming && step.text !== '';
  return (
    <>
      {step.text.trim() !== '' && (
        <div className={`prose${hasCursor ? ' is-streaming' : ''}${isCutOff ? ' is-cut-off' : ''}`}>
          <Markdown text={step.text} isGrowing={isStreaming} />
        </div>
      )}
      {step.calls.length > 0 && (
        <StepCard step={step} turnId={turn.turn_id} hasTurnEnded={hasEnded(turn)} progress={progress} />
      )}
    </>
  );
}
