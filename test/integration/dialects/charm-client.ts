import type { Line } from './artifact-lines.js';

type Artifact = NonNullable<Line['artifact']>;

const PLACEHOLDER = '_Processing your request..._';

/** The chat of the CHARM front end, as the contract describes what it does with each line. */
export class CharmClient {
  readonly messages: { role: 'user' | 'assistant'; content: string }[] = [];
  readonly statuses: string[] = [];
  readonly artifacts: Artifact[] = [];
  readonly errors: string[] = [];
  open: Artifact | undefined;
  isLocked = false;

  constructor(private readonly url: string) {}

  /** What it asks before and around each message. */
  async get<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T;
  }

  /** Sends what has been said with the message at its end, and reads until the body ends. */
  async send(message: string, more: object = {}): Promise<void> {
    this.isLocked = true;
    this.messages.push({ role: 'user', content: message });
    const body = { message, history: [...this.messages], ...more };
    this.messages.push({ role: 'assistant', content: PLACEHOLDER });
    const response = await fetch(`${this.url}/api/chat-artifacts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const bytes of response.body!) {
      rest += decoder.decode(bytes as Uint8Array, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.trim() !== '') this.take(JSON.parse(line) as Line);
    }
    // What is not ended by a newline is lost.
    this.isLocked = false;
  }

  /** A click on a button within the answer. */
  click(index: number): void {
    const ids = [...this.answer.matchAll(/<button class="artifact-button" data-artifact-id="([^"]*)"/g)];
    this.open = this.artifacts.find(({ id }) => id === ids[index]?.[1]);
  }

  get answer(): string {
    return this.messages.at(-1)!.content;
  }

  private take(line: Line): void {
    switch (line.type) {
      case 'status':
        this.statuses.push(line.message!);
        return this.show(`_Status: ${line.message}_`, { isStatus: true });
      case 'content':
        return this.show(line.content!, { isStatus: false });
      case 'artifact':
        this.artifacts.push(line.artifact!);
        this.open = line.artifact;
        return;
      case 'error':
        this.errors.push(line.message!);
    }
  }

  /** A status writes over the placeholder and over statuses; the first text does too, and then it grows. */
  private show(text: string, { isStatus }: { isStatus: boolean }): void {
    const last = this.messages.at(-1)!;
    const isFree = last.content.startsWith('_Status:') || (isStatus && last.content === PLACEHOLDER);
    if (isFree) last.content = text;
    else if (!isStatus) last.content += text;
  }
}
