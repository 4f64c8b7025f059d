// deno-lint-ignore-file no-console
/**
 * The benchmark of the whole:
 *
 *     deno task bench [--quick] [--only SECTION,…] [--write] [--against CHECKOUT]
 *
 * It measures what the container runs: the Dockerfile's bundle with the Dockerfile's settings. All servers run, and the
 * load generator takes them in turn, so that other work of the machine slows all of them alike; ratios are medians of
 * rounds. The load generator is a separate process, Go's HTTP client over TLS with a server name, as an API server
 * calls a webhook. A section that fails says so in its place, and the others go on. `--write` puts the results into
 * `docs/performance.md` with a plot. `--against` compares throughput with that of another checkout, and does nothing
 * else.
 *
 * Kyverno runs beside Postern where the environment names its files: `KYVERNO=FILE` its command line,
 * `KYVERNO_ADMISSION=FILE` its admission controller with `KYVERNO_CRDS=FOLDER`, the folder of its custom resource
 * definitions. Without the admission controller the page shows figures that were recorded.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Section } from "./bench.ts";
import { findInputs } from "./inputs.ts";
import { kyvernoFiles } from "./kyverno.ts";
import { makeImage } from "../support/image.ts";
import { buildClient } from "./load.ts";
import { printResults, writePage } from "./page.ts";
import { Results } from "./results.ts";
import { stopAll } from "./server.ts";
import { compareWith } from "./sections/against.ts";
import { apiServer } from "./sections/api_server.ts";
import { coldStart } from "./sections/cold_start.ts";
import { commandLine } from "./sections/command_line.ts";
import { engine } from "./sections/engine.ts";
import { images } from "./sections/images.ts";
import { memory } from "./sections/memory.ts";
import { pauses } from "./sections/pauses.ts";
import { scan } from "./sections/scan.ts";
import { runtimesSection } from "./sections/runtimes.ts";
import { settings } from "./sections/settings.ts";
import { stall } from "./sections/stall.ts";
import { throughput } from "./sections/throughput.ts";

/** Every section by the name that `--only` knows, in the order of the page. */
const sections: Readonly<Record<string, Section>> = {
  throughput,
  "api-server": apiServer,
  pauses,
  memory,
  settings,
  "cold-start": coldStart,
  runtimes: runtimesSection,
  engine,
  stall,
  images,
  scan,
  "command-line": commandLine,
};

/** How long a section may take, in milliseconds: the longest takes five minutes on a machine of two processors. */
const sectionTime = 480_000;
/** Where 10,000 Pods are made first, and where Kyverno may run as well. */
const longest: Readonly<Record<string, number>> = { scan: 1_200_000, "api-server": 900_000 };

const usage = `deno task bench [options]

  --quick               shorter measurements: rough numbers
  --only SECTION,…      these sections alone: ${Object.keys(sections).join(", ")}
  --write               write the results into docs/performance.md, with a plot
  --against CHECKOUT    only compare the throughput with that of another checkout (a folder)
  -h, --help            print this

Kyverno runs beside Postern where the environment names its files: KYVERNO=FILE its command line,
KYVERNO_ADMISSION=FILE its admission controller with KYVERNO_CRDS=FOLDER.`;

const values = givenOptions();
if (values.help === true) {
  console.log(usage);
  Deno.exit(0);
}
const quick = values.quick === true;
const { against } = values;
const only = against !== undefined ? ["against"] : values.only?.split(",") ?? Object.keys(sections);
const chosen: Readonly<Record<string, Section>> = against === undefined
  ? sections
  : { against: (bench) => compareWith(resolve(against), bench) };
const unknown = only.filter((name) => !Object.hasOwn(chosen, name));
if (unknown.length > 0) {
  endWith(`no section is named ${unknown.join(", ")}; there are ${Object.keys(sections).join(", ")}`);
}

const kyverno = kyvernoFiles();
const folder = await Deno.makeTempDir({ prefix: "postern-bench-" });
const results = new Results();
let failed = 0;
// The servers are processes of their own, which would outlive an interrupted benchmark.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => void cleanUp().finally(() => Deno.exit(1)));
}
try {
  const bench: Bench = {
    inputs: await findInputs(folder),
    folder,
    generator: await buildClient(folder),
    image: await makeImage(folder),
    kyverno,
    results,
    rounds: quick ? 3 : 5,
    seconds: quick ? 1 : 1.5,
    quick,
  };
  results.note(
    `Inputs: ${bench.inputs.from}. ${bench.rounds} rounds of ${bench.seconds} s. ` +
      `${navigator.hardwareConcurrency} processors, which servers and load generator share. ` +
      `V8's settings are the image's: \`${bench.image.env["DENO_V8_FLAGS"]}\`.`,
  );
  for (const name of only) {
    try {
      await within(longest[name] ?? sectionTime, chosen[name]!(bench));
    } catch (cause) {
      failed++;
      await stopAll();
      results.row(`${name}: failed`, cause instanceof Error ? cause.message : String(cause));
    }
  }
  printResults(results);
  if (values.write === true) await writePage(results);
} finally {
  await cleanUp();
}
Deno.exit(failed === 0 ? 0 : 1);

async function cleanUp(): Promise<void> {
  await stopAll();
  await Deno.remove(folder, { recursive: true });
}

/** Waits for a section, and no longer than so many milliseconds. */
async function within(milliseconds: number, section: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    await Promise.race([section, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The options of the command line; ends the process when there are others. */
function givenOptions() {
  try {
    return parseArgs({
      args: Deno.args,
      options: {
        quick: { type: "boolean" },
        only: { type: "string" },
        write: { type: "boolean" },
        against: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (cause) {
    return endWith(cause instanceof Error ? cause.message : String(cause));
  }
}

function endWith(problem: string): never {
  console.error(`error: ${problem}\n\n${usage}`);
  Deno.exit(2);
}
