/**
 * YAML as Kubernetes reads and writes it: YAML 1.1 scalars by the rules of Go's yaml.v2, keys as text, positions for
 * diagnostics. It also reads JSON. It does not keep comments, and integers beyond 2^53 lose their last digits.
 *
 * ```ts
 * import { parseDocuments, toYaml } from "@postern/postern/yaml";
 * import assert from "node:assert/strict";
 *
 * const { documents, diagnostics } = parseDocuments("mode: 0644\n---\non: yes\n---\na: [b", "file.yaml");
 * assert.deepEqual(documents.map(({ value }) => value), [{ mode: 420 }, { true: true }]);
 * assert.deepEqual(documents[0]?.positionOf(["mode"]), { file: "file.yaml", line: 1, column: 1 });
 * assert.equal(diagnostics[0]?.position?.line, 5);
 * assert.equal(toYaml({ mode: 420 }), "mode: 420\n");
 * ```
 *
 * @module
 */
export {
  parseChunks,
  type ParsedDocuments,
  parseDocuments,
  parseYaml,
  type YamlDocument,
} from "./document.ts";
export { LatestPositions } from "./positions.ts";
export { plainDocument } from "./plain_document.ts";
export { DocumentStream, type DocumentStreamOptions } from "./document_stream.ts";
export type { Booleans } from "./scalar.ts";
export { goYaml, toYaml } from "./go_yaml.ts";
export { Fault, isFault } from "../json/mod.ts";
