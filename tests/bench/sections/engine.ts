import { type Bench, root } from "../bench.ts";
import type { EngineTimes } from "../engine_times.ts";

/** Measures evaluation alone, as a multiple of the time for parsing the review's JSON. */
export async function engine({ inputs, results }: Bench): Promise<void> {
  results.section("Engine alone, without HTTP");
  const phases = [
    ["17 pod security policies", inputs.security, "validate"],
    ["10 mutations", inputs.mutate, "mutate"],
    ["10 CEL rules", inputs.cel, "validate"],
  ] as const;
  for (const [what, policies, phase] of phases) {
    const args = [
      "run",
      "--no-prompt",
      "--allow-read",
      `${root}tests/bench/engine_times.ts`,
      policies,
      inputs.review,
      phase,
    ];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
    const { parse, evaluate }: EngineTimes = JSON.parse(new TextDecoder().decode(stdout));
    const ratio = evaluate / parse;
    results.row(what, `${evaluate.toFixed(1)} µs, ${ratio.toFixed(2)} × JSON.parse of the review`, {
      text: "≤ 2 ×",
      met: ratio <= 2,
    });
  }
}
