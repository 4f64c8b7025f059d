import {
  Fault,
  field,
  goJson,
  goJsonProblem,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  parseJsonText,
  setField,
  sortedKeys,
} from "../../json/mod.ts";
import { annotationsOf } from "../../kube/mod.ts";

/** The result of verifying an image. */
export type ImageStatus = "pass" | "fail" | "skip";

/** The result of verifying an image in the mutate phase, noted for the validate phase. */
export interface ImageNote {
  /** The image's text after the mutation. */
  readonly image: string;
  readonly status: ImageStatus;
  /**
   * Kyverno parity: an image that is skipped before its digest is written is noted under its tag in the annotation for
   * people alone. Pinned by "an image that is skipped under its tag and then gets a digest counts under its digest
   * alone".
   */
  readonly forPeople?: true;
}

/** The annotation for users: the status of each image, over all policies. */
const flatAnnotation = "kyverno.io/verify-images";
/** The annotation that the validate phase reads: the status of each image by policy and rule. */
const scopedAnnotation = "kyverno.io/verify-images-scoped";
const version = 1;

/** The policy and rule of notes. */
export interface NoteScope {
  /** `NAMESPACE/NAME`, with an empty namespace for a ClusterPolicy. */
  readonly policy: string;
  readonly rule: string;
}

/** Notes of one rule. */
export interface ScopedNotes extends NoteScope {
  readonly notes: readonly ImageNote[];
}

/** The object without the notes of an earlier verification; the object itself when it has none. */
export function withoutNotes(object: JsonObject): JsonObject {
  const notes = [flatAnnotation, scopedAnnotation];
  const annotations = Object.entries(annotationsOf(object));
  const kept = annotations.filter(([name]) => !notes.includes(name));
  if (kept.length === annotations.length) return object;
  const metadata = object["metadata"] as JsonObject;
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
}

/**
 * The object with both annotations in place of the former ones. Without notes it is the object itself.
 *
 * A `skip` never replaces a `fail`: an image that failed one entry keeps its status, even where another entry of the
 * rule does not match it. Kyverno lets the later one win (declared in `docs/compatibility.md`).
 */
export function annotated(object: JsonObject, scopes: readonly ScopedNotes[]): JsonObject {
  const flat: Record<string, Json> = {};
  const policies: Record<string, Record<string, Record<string, Json>>> = {};
  for (const { policy, rule, notes } of scopes) {
    for (const note of notes) {
      put(flat, note);
      if (note.forPeople === true) continue;
      const rules = innerMap(policies, policy);
      put(innerMap(rules, rule), note);
    }
  }
  if (Object.keys(flat).length === 0) return object;
  const metadata = isObject(object["metadata"]) ? object["metadata"] : {};
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: {
        ...annotations,
        [flatAnnotation]: goJson(flat),
        // Kyverno writes the version first and sorts everything below it.
        [scopedAnnotation]: `{"version":${version},"policies":${goJson(policies)}}`,
      },
    },
  };
}

function put(statuses: Record<string, Json>, { image, status }: ImageNote): void {
  const hasFailed = Object.hasOwn(statuses, image) && statuses[image] === "fail";
  if (status !== "skip" || !hasFailed) setField(statuses, image, status);
}

function innerMap<T>(map: Record<string, Record<string, T>>, name: string): Record<string, T> {
  if (!Object.hasOwn(map, name)) Object.defineProperty(map, name, { value: {}, ...ordinary });
  return map[name]!;
}

const ordinary = { enumerable: true, configurable: true, writable: true } as const;

/**
 * The status of an image under a rule in the object's scoped annotation: `undefined` when the annotation has none, a
 * fault when it cannot be read.
 */
export function notedStatus(object: JsonObject, scope: NoteScope, image: string): string | undefined | Fault {
  const text = annotationsOf(object)[scopedAnnotation];
  if (text === undefined) return undefined;
  const parsed = parse(text);
  if (isFault(parsed)) return new Fault(`failed to parse scoped image metadata: ${parsed.message}`);
  const { policies } = parsed;
  return policies.get(scope.policy)?.get(scope.rule)?.get(image);
}

interface Parsed {
  readonly policies: ReadonlyMap<string, ReadonlyMap<string, ReadonlyMap<string, string>>>;
}

const noPolicies: Parsed = { policies: new Map() };
const statusType = "api.ImageVerificationMetadataStatus";

/**
 * Kyverno parity: the faults are those of Go's decoder, for the first value of the wrong type. Pinned by
 * tests/rules/verify_images/verify_images_test.ts.
 */
function parse(text: string): Parsed | Fault {
  let value: Json;
  try {
    value = parseJsonText(text);
  } catch {
    return new Fault(goJsonProblem(text));
  }
  if (value === null) return noPolicies;
  if (!isObject(value)) return wrongType(value, "map[string]api.ImageVerificationMetadataStatus");
  if (field(value, "version") !== version) {
    // Kyverno parity: anything else is read as the older form, images with their statuses, which counts for
    // nothing. Pinned by tests/rules/verify_images/verify_images_test.ts.
    const wrong = Object.values(value).find((status) => status !== null && typeof status !== "string");
    return wrong === undefined ? noPolicies : wrongType(wrong, statusType);
  }
  const policies = readMap(
    field(value, "policies"),
    (rules) =>
      readMap(rules, (images) =>
        readMap(images, (status) => {
          if (status === null) return "";
          return typeof status === "string" ? status : wrongType(status, statusType);
        })),
  );
  if (isFault(policies)) return policies;
  return { policies };
}

function readMap<T>(value: Json | undefined, read: (value: Json) => T | Fault): Map<string, T> | Fault {
  const map = new Map<string, T>();
  if (value === undefined || value === null) return map;
  if (!isObject(value)) return wrongType(value, "map[string]interface {}");
  for (const name of sortedKeys(value)) {
    const element = read(value[name]!);
    if (isFault(element)) return element;
    map.set(name, element);
  }
  return map;
}

function wrongType(value: Json, wanted: string): Fault {
  const kind = Array.isArray(value)
    ? "array"
    : isObject(value)
    ? "object"
    : typeof value === "boolean"
    ? "bool"
    : typeof value;
  return new Fault(`json: cannot unmarshal ${kind} into Go value of type ${wanted}`);
}
