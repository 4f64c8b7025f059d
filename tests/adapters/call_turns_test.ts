/** The turns of calls: of each server, together, in order, and without what ended. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { CallTurns } from "../../lib/adapters/call_turns.ts";

/** Begins calls and notes which ones have. */
function trial(mostOfOne: number, most: number) {
  const turns = new CallTurns({ mostOfOne, most });
  const begun: string[] = [], ends = new Map<string, () => void>();
  const begin = (name: string, signal?: AbortSignal) =>
    turns.begin(name[0]!, { signal }).then((end) => {
      if (end === undefined) return;
      begun.push(name);
      ends.set(name, end);
    });
  return { turns, begun, begin, end: (name: string) => ends.get(name)?.() };
}

const allTurns = () => new Promise((resolve) => setTimeout(resolve));

Deno.test("call turns: a server with its most calls keeps its further ones waiting, in their order", async () => {
  const { begun, begin, end } = trial(2, 9);
  for (const name of ["a1", "a2", "a3", "a4", "b1"]) void begin(name);
  await allTurns();
  assert.deepEqual(begun, ["a1", "a2", "b1"]);
  end("a2");
  await allTurns();
  end("a1");
  await allTurns();
  assert.deepEqual(begun, ["a1", "a2", "b1", "a3", "a4"]);
});

Deno.test("call turns: when all turns are taken, servers get the next ones in turn", async () => {
  const { begun, begin, end } = trial(3, 3);
  for (const name of ["a1", "a2", "a3", "a4", "a5", "b1", "c1"]) void begin(name);
  await allTurns();
  for (const name of ["a1", "a2", "a3"]) {
    end(name);
    await allTurns();
  }
  assert.deepEqual(begun.slice(3).toSorted(), ["a4", "b1", "c1"]);
});

Deno.test("call turns: a call whose signal aborts leaves its turn to the next", async () => {
  const { turns, begun, begin, end } = trial(1, 1);
  const stop = new AbortController();
  await begin("a1");
  void begin("a2", stop.signal);
  void begin("a3");
  stop.abort();
  await begin("a4", AbortSignal.abort());
  end("a1");
  await allTurns();
  assert.deepEqual(begun, ["a1", "a3"]);
  end("a3");
  assert.equal(turns.underWay, 0);
});

Deno.test("call turns: however calls begin, end and abort, the bounds hold and all get their turn", async () => {
  const step = fc.record({
    server: fc.constantFrom("a", "b", "c"),
    does: fc.constantFrom("begin", "end", "abort"),
    at: fc.nat(30),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const turns = new CallTurns({ mostOfOne: 2, most: 3 });
      const running: { readonly server: string; readonly end: () => void }[] = [],
        stops: AbortController[] = [];
      let waiting = 0;
      const check = () => {
        assert.equal(turns.underWay, running.length);
        assert.ok(running.length <= 3);
        for (const name of ["a", "b", "c"]) {
          assert.ok(running.filter(({ server }) => server === name).length <= 2);
        }
      };
      for (const { server, does, at } of steps) {
        if (does === "begin") {
          const stop = new AbortController();
          stops.push(stop);
          waiting++;
          void turns.begin(server, stop).then((end) => {
            waiting--;
            if (end !== undefined) running.push({ server, end });
          });
        } else if (does === "end") running.splice(at, 1)[0]?.end();
        else stops[at]?.abort();
        await allTurns();
        check();
      }
      while (running.length > 0) {
        running.shift()?.end();
        await allTurns();
      }
      assert.deepEqual([turns.underWay, waiting], [0, 0]);
    }),
    { numRuns: 30 },
  );
});

Deno.test("call turns: a call that leaves while the last other one ends drops no calls that come meanwhile", async () => {
  const turns = new CallTurns({ mostOfOne: 1, most: 9 });
  const first = await turns.begin("a"), leaving = new AbortController();
  const left = turns.begin("a", { signal: leaving.signal });
  leaving.abort();
  first?.();
  const second = await turns.begin("a");
  assert.equal(await left, undefined);
  let hasBegun = false;
  const third = turns.begin("a").then(() => void (hasBegun = true));
  await allTurns();
  assert.equal(hasBegun, false, "one call at a time");
  second?.();
  await third;
});
