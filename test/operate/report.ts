/** One line for each check, as soon as it has its result. */
export class Report {
  failures = 0;
  private checks = 0;

  passed(what: string, detail: string): void {
    this.checks++;
    console.log(`ok      ${what}: ${detail}`);
  }

  failed(what: string, detail: string): void {
    this.checks++;
    this.failures++;
    console.log(`FAILED  ${what}: ${detail}`);
  }

  get summary(): string {
    return this.failures === 0
      ? `${this.checks} checks passed`
      : `${this.failures} of ${this.checks} checks failed`;
  }
}
