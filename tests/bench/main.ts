/**
 * The benchmark of the whole:
 *
 *     deno task bench [--quick] [--only SECTION,…] [--write]
 *
 * Servers run at once and are loaded in turn, so that what else the machine does meets them alike; ratios are medians of
 * rounds. The load generator is a process of its own, Go's HTTP client over TLS with a server name, as an API server calls
 * a webhook. `--write` puts the results into `docs/performance.md` with a plot.
 */
import { parseArgs } from "node:util";
import type { Bench, Section } from "./bench.ts";
import { findInputs } from "./inputs.ts";
import { buildClient } from "./load.ts";
import { printResults, writePage } from "./page.ts";
import { Results } from "./results.ts";
import { apiServer } from "./sections/api_server.ts";
import { coldStart } from "./sections/cold_start.ts";
import { engine } from "./sections/engine.ts";
import { images } from "./sections/images.ts";
import { memory } from "./sections/memory.ts";
import { throughput } from "./sections/throughput.ts";

/** Every section by the name that `--only` knows. */
const sections: Readonly<Record<string, Section>> = {
  engine,
  images,
  "cold-start": coldStart,
  throughput,
  memory,
  "api-server": apiServer,
};

const { values } = parseArgs({
  args: Deno.args,
  options: { quick: { type: "boolean" }, only: { type: "string" }, write: { type: "boolean" } },
});
const quick = values.quick === true;
const only = values.only?.split(",") ?? Object.keys(sections);
const unknown = only.filter((name) => !Object.hasOwn(sections, name));
if (unknown.length > 0) {
  throw new Error(`no section is named ${unknown.join(", ")}; there are ${Object.keys(sections).join(", ")}`);
}

const folder = await Deno.makeTempDir({ prefix: "postern-bench-" });
const results = new Results();
try {
  const bench: Bench = {
    inputs: await findInputs(folder),
    folder,
    generator: await buildClient(folder),
    results,
    rounds: quick ? 3 : 7,
    seconds: quick ? 1 : 2,
    quick,
  };
  results.note(
    `Inputs: ${bench.inputs.from}. ${bench.rounds} rounds of ${bench.seconds} s, ` +
      `${navigator.hardwareConcurrency} processors shared by servers and load generator.`,
  );
  for (const name of only) await sections[name]!(bench);
  printResults(results);
  if (values.write === true) await writePage(results);
} finally {
  await Deno.remove(folder, { recursive: true });
}
