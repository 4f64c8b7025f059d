/** The page's side of the engine: a worker that never comes back does not keep people from results. */
import assert from "node:assert/strict";
import type { Answer } from "../../site/playground/worker/protocol.ts";
import { Engine } from "../../site/playground/state/engine.ts";
import { noTexts } from "../../lib/simulation/mod.ts";

/** A worker that never ends the run of an endless policy, as an evaluation might not. */
const script = `
const say = (kind, number) => postMessage({ kind, number });
addEventListener("message", ({ data: { kind, number, texts } }) => {
  if (kind === "run" && texts.policies === "endless") for (;;);
  say("begun", number);
  say(kind === "run" ? "loaded" : kind, number);
  if (texts?.policies === "last") close();
});
say("ready", 0);
`;

Deno.test("a new run ends a run that never ends, with its worker", async () => {
  let take: (answer: Answer) => void = () => {};
  const engine = new Engine(`data:text/javascript,${encodeURIComponent(script)}`, (answer) => take(answer));
  const answered = (kind: Answer["kind"], number: number): Promise<void> =>
    new Promise((resolve) =>
      take = (answer) => answer.kind === kind && answer.number === number && resolve()
    );
  await answered("ready", 0);
  await answered("loaded", engine.run(noTexts, {}));
  engine.run({ ...noTexts, policies: "endless" }, {});
  assert.equal(engine.replaced, 0);
  await answered("loaded", engine.run({ ...noTexts, policies: "last" }, {}));
  assert.equal(engine.replaced, 1);
});

Deno.test("results of replaced texts are not shown", async () => {
  const taken: string[] = [];
  const finished = Promise.withResolvers<void>();
  const engine = new Engine(`data:text/javascript,${encodeURIComponent(script)}`, ({ kind, number }) => {
    taken.push(`${kind} ${number}`);
    if (kind === "loaded" && number === last) finished.resolve();
  });
  const first = engine.run(noTexts, {});
  const early = engine.outcome(0);
  const last = engine.run({ ...noTexts, policies: "last" }, {});
  await finished.promise;
  assert.deepEqual([first, early, last], [1, 2, 3]);
  assert.deepEqual(taken.filter((each) => !each.startsWith("begun")), ["ready 0", "loaded 3"]);
});
