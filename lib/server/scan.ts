import type { Context } from "hono";
import { preprocess, scanInSteps, type ScanPorts, type Snapshot } from "../engine/mod.ts";
import { asList, isFault, isObject, isString, type Json, nestsDeeperThan } from "../json/mod.ts";
import { scanObject } from "../report/mod.ts";

/** The deepest nesting; deeper JSON is refused before it is parsed. */
const maxDepth = 500;

/** The most expressions of a request, and characters of each: they are compiled for that request alone. */
const maxPreprocessors = 10;
const maxPreprocessorLength = 4096;

/** The policies, ports and options of scans. */
export interface ScanOptions {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: ScanPorts;
  /** Whether callers may send expressions, which are compiled and evaluated here. */
  readonly scanPreprocessors?: boolean;
}

/** The most steps of a scan: of all expressions together, and of applying each rule to each value. */
const maxSteps = 10_000_000;

/**
 * Answers `POST /scan`: evaluates the JSON policies in force for any JSON, or for `{payload, preprocessors}`. The
 * status is 200 whatever the results: `{results: [{policy, rule, identifier, result, message}]}`; 400 when it takes
 * too many steps. `undefined` without such policies: the path is then not served.
 */
export async function answerScan(c: Context, options: ScanOptions): Promise<Response | undefined> {
  const { snapshot, ports } = options;
  const current = snapshot();
  if (current === undefined) return c.json({ message: "policies are still being loaded" }, 503);
  if (current.jsonPolicies.length === 0) return undefined;
  const text = await c.req.text();
  if (nestsDeeperThan(maxDepth, text)) {
    return c.json({ message: `the body nests deeper than ${maxDepth} levels` }, 400);
  }
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return c.json({ message: "the body is not JSON" }, 400);
  }
  const { payload, preprocessors } = readScan(body);
  if (preprocessors.length > 0 && options.scanPreprocessors !== true) {
    const message = "preprocessors are not enabled: start the server with --scan-preprocessors";
    return c.json({ message }, 400);
  }
  if (payload === null) return c.json({ message: "payload is `null`" }, 400);
  if (
    preprocessors.length > maxPreprocessors ||
    preprocessors.some((text) => text.length > maxPreprocessorLength)
  ) {
    const message =
      `at most ${maxPreprocessors} preprocessors of ${maxPreprocessorLength} characters are allowed`;
    return c.json({ message }, 400);
  }
  const preprocessed = preprocess(payload, preprocessors, ports);
  if (isFault(preprocessed)) return c.json({ message: preprocessed.message }, 400);
  const results = await scanInSteps(current.jsonPolicies, preprocessed, { ports, maxSteps });
  return isFault(results) ? c.json({ message: results.message }, 400) : c.json(scanObject(results));
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
