import type { TurnView } from '#contracts';
import type { TurnNews } from './turn-stream.js';

const BETWEEN_STEPS = '\n\n';

/**
 * The text of a turn for a wire that cannot retract anything: the text of its steps, live, with a blank line between
 * steps. A restarted step that repeats its text continues where it was. One with other text follows the first version
 * after a blank line.
 */
export class AnswerText {
  private step = 0;
  /** Of the step. */
  private sent = '';
  /** The text of a restarted step, while it is the same as before. */
  private repeated: string | undefined;

  /** The text to send; empty if there is none. */
  next(news: TurnNews): string {
    if (news.type === 'step_restarted') this.repeated = '';
    return news.type === 'text' ? this.say(news.step, news.text) : '';
  }

  private say(step: number, text: string): string {
    if (step !== this.step) return this.begin(step, text);
    if (this.repeated === undefined) {
      this.sent += text;
      return text;
    }
    const { sent } = this;
    this.repeated += text;
    if (sent.startsWith(this.repeated)) return '';
    const isSame = this.repeated.startsWith(sent);
    this.sent = this.repeated;
    this.repeated = undefined;
    return isSame ? this.sent.slice(sent.length) : BETWEEN_STEPS + this.sent;
  }

  private begin(step: number, text: string): string {
    const isFirst = this.step === 0;
    this.step = step;
    this.sent = text;
    this.repeated = undefined;
    return isFirst ? text : BETWEEN_STEPS + text;
  }
}

/** The same at the end, without the first version of a restarted step. */
export function answerOf({ steps }: TurnView): string {
  return steps
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(BETWEEN_STEPS);
}
