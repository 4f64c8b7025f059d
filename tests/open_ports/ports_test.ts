/** The ports of commands and of servers. */
import assert from "node:assert/strict";
import { openPorts } from "../../lib/open_ports/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import type { Log } from "../../lib/ports.ts";

const log: Log = { write: () => {} };

for (
  const { what, watch, pauses } of [{ what: "command", pauses: false }, {
    what: "server",
    watch: log,
    pauses: true,
  }]
) {
  Deno.test(`evaluation ${pauses ? "pauses for other requests" : "never pauses"} with the ports of a ${what}`, async () => {
    const opened = await openPorts({ cluster: [], serviceAccount: false, ...(watch && { watch }) });
    assert.ok(!isFault(opened), String(opened));
    try {
      assert.equal(opened.ports.scheduler !== undefined, pauses);
    } finally {
      await opened.close();
    }
  });
}
