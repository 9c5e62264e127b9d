export interface SplitText {
  thought: string;
  answer: string;
}

const OPEN = '<thought>';
const CLOSE = '</thought>';

/**
 * Gemini sends thoughts as content: marked as such, and between tags that may be split anywhere. The closing tag is at
 * the start of the answer. Tags without a preceding mark belong to the answer.
 */
export class ThoughtSplitter {
  private mode: 'answer' | 'marked' | 'tagged' = 'answer';
  /** Text that may be the beginning of a tag. */
  private held = '';

  split(text: string, isMarked: boolean): SplitText {
    const whole = this.held + text;
    this.held = '';
    if (this.mode === 'answer' && isMarked) return this.open(whole);
    if (this.mode === 'marked' && !isMarked && !this.couldClose(whole)) this.mode = 'answer';
    return this.mode === 'answer' ? { thought: '', answer: whole } : this.readThought(whole);
  }

  /** The held-back text, when nothing follows. */
  end(): SplitText {
    const { held, mode } = this;
    this.held = '';
    return mode === 'answer' ? { thought: '', answer: held } : { thought: held, answer: '' };
  }

  private open(text: string): SplitText {
    if (text.length < OPEN.length && OPEN.startsWith(text)) {
      this.held = text;
      return { thought: '', answer: '' };
    }
    const isTagged = text.startsWith(OPEN);
    this.mode = isTagged ? 'tagged' : 'marked';
    return this.readThought(isTagged ? text.slice(OPEN.length) : text);
  }

  private couldClose(text: string): boolean {
    return text.startsWith(CLOSE) || CLOSE.startsWith(text);
  }

  private readThought(text: string): SplitText {
    const end = text.indexOf(CLOSE);
    if (end >= 0) {
      this.mode = 'answer';
      return { thought: text.slice(0, end), answer: text.slice(end + CLOSE.length) };
    }
    const heldLength = overlap(text, CLOSE);
    this.held = text.slice(text.length - heldLength);
    return { thought: text.slice(0, text.length - heldLength), answer: '' };
  }
}

/** How many characters at the end of `text` are the beginning of `tag`. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
