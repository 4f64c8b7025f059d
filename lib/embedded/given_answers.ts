import {
  asList,
  asObject,
  asString,
  Fault,
  field,
  isFault,
  type Json,
  type JsonObject,
  scopeOf,
  setField,
} from "../json/mod.ts";
import { compileExpression, type Environment } from "../jmespath/mod.ts";
import type { Answer, GlobalEntries, Registry } from "../ports.ts";

/** Finds the answer that a test gives for a call; `undefined` when it gives none. */
export type MockedCalls = (method: string, url: string) => Answer | undefined;

/** The answers of a test's `apiCallResponses`: by `url` or `urlPath`, for one method or for any. */
export function mockedCalls(responses: readonly JsonObject[]): MockedCalls {
  const answers = new Map<string, Answer>();
  for (const entry of responses) {
    const url = (asString(entry["url"]) || asString(entry["urlPath"]) || "").trim();
    const method = (asString(entry["method"]) ?? "").trim().toUpperCase();
    const status = Number(field(entry["response"] ?? null, "statusCode") ?? 200);
    const body = field(entry["response"] ?? null, "body") ?? null;
    answers.set(
      `${method} ${url}`,
      status >= 200 && status < 300
        ? { ok: true, status, body }
        : { ok: false, status, message: `HTTP ${status} from the test's answer for ${url}`, body },
    );
  }
  return (method, url) => answers.get(`${method} ${url}`) ?? answers.get(` ${url}`);
}

/**
 * The global context of a test's `globalContextEntries`: `data` or `resources`, narrowed by `fieldPath`, with
 * `projections`, which are read as an object of their names or one by one as `entry.projection`.
 */
export function mockedEntries(entries: readonly JsonObject[], environment: Environment): GlobalEntries {
  const values = new Map<string, Json | Fault>();
  for (const entry of entries) {
    const name = asString(entry["name"]) ?? "";
    const root = narrowed(entry["data"] ?? entry["resources"] ?? null, asString(entry["fieldPath"]) ?? "");
    const projections = asList(entry["projections"]);
    if (projections.length === 0 || isFault(root)) {
      values.set(name, root);
      continue;
    }
    const projected: { [key: string]: Json } = {};
    for (const projection of projections) {
      const key = asString(asObject(projection)?.["name"]) ?? "";
      const value = narrowed(root, asString(asObject(projection)?.["path"]) ?? "");
      values.set(`${name}.${key}`, value);
      if (!isFault(value)) setField(projected, key, value);
    }
    values.set(name, projected);
  }
  return {
    entry(name): Promise<Answer> {
      const value = values.get(name) ?? new Fault(`the test gives no global context entry ${name}`);
      return Promise.resolve(
        isFault(value)
          ? { ok: false, status: undefined, message: value.message }
          : { ok: true, status: 200, body: value },
      );
    },
  };

  function narrowed(value: Json, path: string): Json | Fault {
    if (path === "") return value;
    const expression = compileExpression(path, { root: "document" });
    return isFault(expression) ? expression : expression.evaluate(scopeOf(value), environment);
  }
}

/**
 * A registry with the `images` of a test's context file, by the image text in policies. A record has its parts under
 * the names of CEL (`config`, `imageIndex`) and under those of context entries (`configData`, `manifestList`).
 * `others` answers for all other images.
 */
export function mockedImages(images: readonly JsonObject[], others?: Registry): Registry {
  const records = new Map(images.map((image) => [asString(image["image"]) ?? "", image]));
  return {
    image(reference, ...more): Promise<Answer> {
      const record = records.get(reference);
      if (record === undefined && others !== undefined) return others.image(reference, ...more);
      if (record === undefined) {
        const message = `image data for ${reference} not found in the context`;
        return Promise.resolve({ ok: false, status: 404, message });
      }
      const body = {
        ...record,
        configData: record["config"] ?? null,
        manifestList: record["imageIndex"] ?? null,
      };
      return Promise.resolve({ ok: true, status: 200, body });
    },
  };
}
