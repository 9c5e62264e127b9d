import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Appends evidence to files of JSON lines. Lines are kept a moment, so that a token does not cost a system call. */
export class Recorder {
  private readonly waiting = new Map<string, string[]>();
  private readonly timer = setInterval(() => this.flush(), 500);

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.timer.unref();
  }

  record(file: string, line: object): void {
    const lines = this.waiting.get(file) ?? [];
    lines.push(`${JSON.stringify(line)}\n`);
    this.waiting.set(file, lines);
  }

  write(file: string, value: object): void {
    writeFileSync(join(this.folder, file), `${JSON.stringify(value, null, 2)}\n`);
  }

  flush(): void {
    for (const [file, lines] of this.waiting) appendFileSync(join(this.folder, file), lines.join(''));
    this.waiting.clear();
  }
}
