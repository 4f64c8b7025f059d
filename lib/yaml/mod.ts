/**
 * YAML as Kubernetes reads and writes it: YAML 1.1 scalars by the rules of Go's yaml.v2, keys as text, positions for
 * diagnostics. It also reads JSON. It does not keep comments, and integers beyond 2^53 lose their last digits.
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
export { DocumentStream, type DocumentStreamOptions } from "./document_stream.ts";
export { goYaml, toYaml } from "./go_yaml.ts";
