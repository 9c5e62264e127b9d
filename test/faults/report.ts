interface Line {
  title: string;
  passed: boolean;
  seconds: number;
}

/** What was run, as a table on standard output: jest shows the titles of a file only when it runs alone. */
export class Report {
  private readonly lines: Line[] = [];

  constructor(private readonly name: string) {}

  async measure(title: string, run: () => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    let passed = false;
    try {
      await run();
      passed = true;
    } finally {
      this.lines.push({ title, passed, seconds: (performance.now() - startedAt) / 1000 });
    }
  }

  print(): void {
    const rows = this.lines.map(
      ({ title, passed, seconds }) =>
        `${passed ? 'ok  ' : 'FAIL'} ${seconds.toFixed(1).padStart(5)} s  ${title}`,
    );
    const passed = this.lines.filter((line) => line.passed).length;
    const sum = `${passed} of ${this.lines.length} faults came right`;
    process.stdout.write(`\n${[`Faults: ${this.name}`, ...rows, sum].join('\n')}\n`);
  }
}
