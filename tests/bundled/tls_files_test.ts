/** The settings with which a bundle serves TLS on Node.js. */
import assert from "node:assert/strict";
import { textSettings } from "../../lib/bundled/settings.ts";
import { tlsFiles } from "../../lib/bundled/tls_files.ts";
import { isFault } from "../../lib/json/mod.ts";

const missing = "POSTERN_CERT_FILE and POSTERN_KEY_FILE belong together: one of them is not set";

const rows: readonly (readonly [settings: Readonly<Record<string, string>>, expected: unknown])[] = [
  [{}, undefined],
  [{ POSTERN_CERT_FILE: "c", POSTERN_KEY_FILE: "k" }, { cert: "c", key: "k" }],
  [{ POSTERN_CERT_FILE: "c" }, missing],
  [{ POSTERN_KEY_FILE: "k", POSTERN_CERT_FILE: "" }, missing],
];

for (const [settings, expected] of rows) {
  Deno.test(`a bundle on Node.js with ${JSON.stringify(settings)} serves no half of TLS`, () => {
    const found = tlsFiles(textSettings(settings));
    assert.deepEqual(isFault(found) ? found.message : found, expected);
  });
}
