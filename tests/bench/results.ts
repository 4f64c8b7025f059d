/** What was measured: rows with goals and whether they were met, and the points of the plot. */

/** What a figure should be, and whether it is. */
export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

/** One figure. */
export interface Row {
  readonly what: string;
  readonly value: string;
  readonly goal: Goal | undefined;
}

/** Requests in a second of one scenario by the number of connections. */
export interface Line {
  readonly title: string;
  readonly points: readonly { readonly connections: number; readonly rate: number }[];
}

/** The results of a run, section by section. */
export class Results {
  readonly notes: string[] = [];
  readonly lines: Line[] = [];
  readonly sections: { readonly title: string; readonly rows: Row[] }[] = [];

  note(text: string): void {
    this.notes.push(text);
  }

  section(title: string): void {
    this.sections.push({ title, rows: [] });
  }

  /** Adds a row, and prints it to standard error at once: the whole takes a while. */
  row(what: string, value: string, goal?: Goal): void {
    this.sections.at(-1)?.rows.push({ what, value, goal });
    const mark = goal === undefined ? "" : goal.met ? `   yes: ${goal.text}` : `   NO: ${goal.text}`;
    Deno.stderr.writeSync(new TextEncoder().encode(`${what}: ${value}${mark}\n`));
  }

  line(line: Line): void {
    this.lines.push(line);
  }
}
