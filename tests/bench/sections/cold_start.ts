import { type Bench, median, probeOf, root } from "../bench.ts";
import { serveArguments } from "../scenarios.ts";
import { startServer } from "../server.ts";

/** From starting the process to its first decision: from source, and as the image runs it, one minified file. */
export async function coldStart({ inputs, results, folder, quick }: Bench): Promise<void> {
  results.section("Cold start to the first decision, 17 pod security policies");
  const bundle = `${folder}/postern.js`;
  await run(["bundle", "--quiet", "--minify", "--output", bundle, "main.ts"]);
  const fromBundle = serveArguments([inputs.security]).map((each) => each === "main.ts" ? bundle : each);
  const ways: readonly (readonly [string, readonly string[], number])[] = [
    ["`main.ts serve`", serveArguments([inputs.security]), 250],
    ["the image's one file, minified", fromBundle, 90],
  ];
  const probe = await probeOf("/validate/fail", inputs.review);
  for (const [what, args, goal] of ways) {
    const times: number[] = [];
    for (let index = 0; index < (quick ? 3 : 9); index++) {
      const server = await startServer(args, probe);
      times.push(server.started);
      await server.stop();
    }
    const time = median(times);
    results.row(what, `${time.toFixed(0)} ms`, { text: `< ${goal} ms`, met: time < goal });
  }
}

async function run(args: readonly string[]): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd: root }).output();
  if (!success) throw new Error(`failed: deno ${args.join(" ")}`);
}
