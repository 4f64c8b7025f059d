/** Reads the Dockerfile, so that it is the one description of the image for releases and tests, too. */

/**
 * The instructions of a Dockerfile's last stage and of all stages: lines joined, comments left out, `ARG`s replaced by
 * their defaults.
 */
export interface Dockerfile {
  /** The `COPY` and `RUN` instructions of the first stage, in order, each with its arguments. */
  readonly build: readonly (readonly ["COPY" | "RUN", string])[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  /** The last `WORKDIR`. */
  readonly folder: string;
  /** The names of the files that the last stage copies from the folder `/app` of the first. */
  readonly appFiles: readonly string[];
}

/** Parses a Dockerfile. It reads the instructions that this project uses, and no others. */
export function parseDockerfile(text: string): Dockerfile {
  const joined = text.split("\n").filter((line) => !/^\s*#/.test(line)).join("\n").replace(/\\\n/g, " ");
  const defaults = new Map(
    [...joined.matchAll(/^ARG (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const lines = joined.replace(/\$\{?(\w+)\}?/g, (whole, name) => defaults.get(name) ?? whole).split("\n");
  const all = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length).trim());
  const list = (name: string): string[] => JSON.parse(all(name).at(-1) ?? "[]");
  return {
    build: firstStage(lines),
    entrypoint: list("ENTRYPOINT"),
    command: list("CMD"),
    env: Object.fromEntries(
      all("ENV").flatMap((line) => line.split(/\s+/)).map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
    ),
    user: all("USER").at(-1) ?? "",
    labels: Object.fromEntries(
      all("LABEL").flatMap((line) =>
        [...line.matchAll(/([\w.]+)="([^"]*)"/g)].map(([, name, text]) => [name!, text!])
      ),
    ),
    ports: all("EXPOSE").flatMap((line) => line.split(/\s+/)),
    folder: all("WORKDIR").at(-1) ?? "/",
    appFiles: all("COPY").flatMap((line) => [...line.matchAll(/ \/app\/(\S+)/g)].map(([, name]) => name!)),
  };
}

function firstStage(lines: readonly string[]): Dockerfile["build"] {
  const [start = 0, end] = lines.flatMap((line, index) => line.startsWith("FROM ") ? [index] : []);
  return lines.slice(start, end).flatMap((line) => {
    const [, name, rest] = /^(COPY|RUN) +(.*)$/.exec(line) ?? [];
    return name === "COPY" || name === "RUN" ? [[name, rest ?? ""] as const] : [];
  });
}
