/** The worker knows its own username, so that it leaves out its own requests. */
import assert from "node:assert/strict";
import { addPosternUsername } from "../../lib/background/mod.ts";
import { keptLog, portsWith } from "./setting.ts";

Deno.test("the worker reads its username from the cluster", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  await addPosternUsername(names, { cluster, log });
  assert.deepEqual([[...names], log.lines], [["postern"], []]);
});

Deno.test("a username that was not read is in the log, and read later", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  const { signal } = new AbortController();
  let calls = 0;
  const waited: number[] = [];
  cluster.interfere = () => ++calls < 3 ? { ok: false, status: 503, message: "it starts" } : undefined;
  const wait = (milliseconds: number): Promise<boolean> => Promise.resolve(waited.push(milliseconds) > 0);
  await addPosternUsername(names, { cluster, log, signal, wait });
  while (names.size === 0) await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([...names], ["postern"]);
  assert.match(log.lines.join("\n"), /^warn Postern's user name was not read[^\n]*$/);
  // While rules are evaluated for Postern's changes, one change may cause the next.
  assert.deepEqual(waited, [1_000, 1_000]);
});

Deno.test("an API server that does not say usernames is no failure", async () => {
  const { cluster } = portsWith(""), names = new Set<string>(), log = keptLog();
  cluster.interfere = () => ({ ok: false, status: 404, message: "not served" });
  await addPosternUsername(names, { cluster, log });
  assert.deepEqual([names.size, log.lines], [0, []]);
});
