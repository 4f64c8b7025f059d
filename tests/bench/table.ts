/** What was measured, with goals and whether they were met. */

export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

export class Table {
  readonly #notes: string[] = [];
  readonly #rows: { readonly what: string; readonly value: string; readonly goal: Goal | undefined }[] = [];

  note(text: string): void {
    this.#notes.push(text);
  }

  /** Adds a row, and says on standard error that it is there: the whole takes a while. */
  row(what: string, value: string, goal?: Goal): void {
    this.#rows.push({ what, value, goal });
    Deno.stderr.writeSync(new TextEncoder().encode(`${what}: ${value}\n`));
  }

  print(): void {
    const rows = this.#rows.map(({ what, value, goal }) => [
      what,
      value,
      goal === undefined ? "" : goal.met ? "yes" : "NO",
      goal?.text ?? "",
    ]);
    const header = ["what", "measured", "met", "goal"];
    const widths = header.map((title, column) =>
      Math.max(title.length, ...rows.map((row) => row[column]!.length))
    );
    const line = (cells: readonly string[]) =>
      cells.map((cell, column) => cell.padEnd(widths[column]!)).join("  ").trimEnd();
    const lines = [
      "",
      ...this.#notes,
      "",
      line(header),
      line(widths.map((width) => "-".repeat(width))),
      ...rows.map(line),
    ];
    Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
  }
}
