/** The measured rows, with their goals and whether each goal was met, and the points of the plot. */

/** A goal for a figure, and whether the figure meets it. */
export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

/** One thing that was measured: its figures, in the columns of its section. */
export interface Row {
  readonly what: string;
  readonly values: readonly string[];
  readonly goals: readonly Goal[];
}

/** Rows under one title. */
export interface Part {
  readonly title: string;
  /** How to read it, in sentences. */
  readonly text: string;
  readonly columns: readonly string[];
  readonly rows: Row[];
}

/** Requests in a second of one scenario by the number of connections. */
export interface Line {
  readonly title: string;
  /** A figure of ours, what nothing can be faster than, or one that was recorded elsewhere. */
  readonly kind: "measured" | "floor" | "recorded";
  readonly points: readonly { readonly connections: number; readonly rate: number }[];
}

/** The results of a run, section by section. */
export class Results {
  readonly notes: string[] = [];
  readonly lines: Line[] = [];
  readonly parts: Part[] = [];

  note(text: string): void {
    this.notes.push(text);
  }

  /** Begins a section; rows that follow are its own. */
  section(
    title: string,
    { text = "", columns = ["measured"] }: Partial<Pick<Part, "text" | "columns">> = {},
  ): void {
    this.parts.push({ title, text, columns, rows: [] });
  }

  /** Adds a row, and prints it to standard error at once: the whole takes a while. */
  row(what: string, values: string | readonly string[], goals: Goal | readonly Goal[] = []): void {
    const row: Row = {
      what,
      values: typeof values === "string" ? [values] : values,
      goals: "text" in goals ? [goals] : goals,
    };
    this.parts.at(-1)?.rows.push(row);
    const line = `${what}: ${row.values.join(", ")}${row.goals.map(verdict).join("")}\n`;
    Deno.stderr.writeSync(new TextEncoder().encode(line));
  }

  line(line: Line): void {
    this.lines.push(line);
  }
}

/** A goal as a terminal shows it. */
export function verdict({ text, met }: Goal): string {
  return `  [${met ? "met" : "NOT MET"}: ${text}]`;
}
