import type { Context } from "hono";
import { preprocess, scanInSteps, type ScanPorts, type Snapshot } from "../engine/mod.ts";
import {
  asList,
  Fault,
  heapSizeOfText,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
  parseInStages,
  type Stages,
} from "../json/mod.ts";
import { scanObject } from "../report/mod.ts";
import type { BodyReader } from "./body.ts";
import { tooDeep } from "./read_review.ts";
import type { TextParser } from "./text_parser.ts";

/** The most expressions of a request, and characters of each: they are compiled for that request alone. */
const maxPreprocessors = 10;
const maxPreprocessorLength = 4096;

/** The policies, ports and options of scans. */
export interface ScanOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: ScanPorts;
  readonly bodies: BodyReader;
  readonly texts: TextParser;
  /** Whether callers may send expressions, which are compiled and evaluated here. */
  readonly scanPreprocessors?: boolean;
}

/** The most steps of a scan: of all expressions together, and of each result. */
const maxSteps = 10_000_000;

/** Milliseconds in which a scan begins or is answered with 503. */
const longestWait = 10_000;

/** Estimated bytes of heap of one result with its part of the answer, and the most results that the steps allow. */
const bytesOfResult = 400, mostResults = maxSteps / 500;

/**
 * Answers `POST /scan`: evaluates the JSON policies in force for any JSON, or for `{payload, preprocessors}`. The
 * status is 200 whatever the results: `{results: [{policy, rule, identifier, result, message}]}`; 400 when it takes
 * too many steps. `undefined` without such policies: the path is then not served.
 */
export async function answerScan(c: Context, options: ScanOptions): Promise<Response | undefined> {
  const { snapshot, bodies, texts } = options;
  const current = snapshot();
  if (current === undefined) return c.json({ message: "policies are still being loaded" }, 503);
  if (current.jsonPolicies.length === 0) return undefined;
  const text = await bodies.read(c.req.raw);
  if (typeof text !== "string") return c.json({ message: text.message }, text.status);
  // Each result is about a value of its own, which takes two characters or more.
  const results = Math.min(text.length / 2, mostResults) * bytesOfResult;
  const parsed = await texts.parse(text, {
    bytes: heapSizeOfText(text) + results,
    within: longestWait,
    read: readJsonInStages,
  });
  if ("status" in parsed) return c.json({ message: parsed.message }, parsed.status);
  try {
    const answer = isFault(parsed.value) ? parsed.value : await scanned(parsed.value, current, options);
    return isFault(answer) ? c.json({ message: answer.message }, 400) : c.json(answer);
  } finally {
    parsed.free();
  }
}

function* readJsonInStages(text: string, most?: number): Stages<Json | Fault> {
  const deep = tooDeep(text);
  if (deep !== undefined) return new Fault(deep.message);
  try {
    return yield* parseInStages(text, most);
  } catch {
    return new Fault("the body is not JSON");
  }
}

/** The results for a body; a fault says why there are none. */
async function scanned(
  body: Json,
  { jsonPolicies }: Snapshot,
  { ports, scanPreprocessors }: ScanOptions,
): Promise<JsonObject | Fault> {
  const { payload, preprocessors } = readScan(body);
  if (preprocessors.length > 0 && scanPreprocessors !== true) {
    return new Fault("preprocessors are not enabled: start the server with --scan-preprocessors");
  }
  if (payload === null) return new Fault("payload is `null`");
  if (
    preprocessors.length > maxPreprocessors ||
    preprocessors.some((text) => text.length > maxPreprocessorLength)
  ) {
    return new Fault(
      `at most ${maxPreprocessors} preprocessors of ${maxPreprocessorLength} characters are allowed`,
    );
  }
  const preprocessed = preprocess(payload, preprocessors, ports);
  if (isFault(preprocessed)) return preprocessed;
  const results = await scanInSteps(jsonPolicies, preprocessed, { ports, maxSteps });
  return isFault(results) ? results : scanObject(results);
}

/**
 * Reads the body: an envelope has a payload and perhaps preprocessors, and nothing else; any other body is the
 * payload.
 */
function readScan(body: Json): { payload: Json; preprocessors: readonly string[] } {
  const isEnvelope = isObject(body) && Object.hasOwn(body, "payload") &&
    Object.keys(body).every((key) => key === "payload" || key === "preprocessors");
  if (!isEnvelope) return { payload: body, preprocessors: [] };
  return { payload: body["payload"]!, preprocessors: asList(body["preprocessors"]).filter(isString) };
}
