import type { Context } from "hono";
import { preprocess, scanPayload, type ScanPorts, type Snapshot } from "../engine/mod.ts";
import { asList, isFault, isObject, isString, type Json, nestsDeeperThan } from "../json/mod.ts";
import { scanObject } from "../report/mod.ts";

/** Deeper JSON is refused before it is parsed. */
const maxDepth = 500;

/** Expressions that a request may bring, and the characters of each: they are compiled for that request alone. */
const maxPreprocessors = 10;
const maxPreprocessorLength = 4096;

/** What scans are answered with. */
export interface ScanSetting {
  readonly snapshot: () => Snapshot | undefined;
  readonly ports: ScanPorts;
}

/**
 * Answers `POST /scan`: any JSON, or `{payload, preprocessors}`, judged by the JSON policies in force. The answer is 200
 * whatever the policies say: `{results: [{policy, rule, identifier, result, message}]}`.
 */
export async function answerScan(c: Context, { snapshot, ports }: ScanSetting): Promise<Response> {
  const current = snapshot();
  if (current === undefined) return c.json({ message: "policies are still being loaded" }, 503);
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
  if (payload === null) return c.json({ message: "payload is `null`" }, 400);
  if (
    preprocessors.length > maxPreprocessors ||
    preprocessors.some((text) => text.length > maxPreprocessorLength)
  ) {
    const message =
      `at most ${maxPreprocessors} preprocessors of ${maxPreprocessorLength} characters are taken`;
    return c.json({ message }, 400);
  }
  const subject = preprocess(payload, preprocessors, ports);
  if (isFault(subject)) return c.json({ message: subject.message }, 400);
  return c.json(scanObject(scanPayload(current.jsonPolicies, subject, ports)));
}

/** An envelope has a payload, perhaps preprocessors, and nothing else; anything else is the payload itself. */
function readScan(body: Json): { payload: Json; preprocessors: readonly string[] } {
  const isEnvelope = isObject(body) && Object.hasOwn(body, "payload") &&
    Object.keys(body).every((key) => key === "payload" || key === "preprocessors");
  if (!isEnvelope) return { payload: body, preprocessors: [] };
  return { payload: body["payload"]!, preprocessors: asList(body["preprocessors"]).filter(isString) };
}
