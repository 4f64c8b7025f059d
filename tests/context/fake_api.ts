/** A cluster that answers from a table, and contexts that call it. */
import {
  compileEntry,
  Context,
  type ContextEntry,
  type EntryOptions,
  LoadTracker,
  parseContext,
  untilLoaded,
} from "../../lib/context/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall, Ports } from "../../lib/ports.ts";

/** Reads and compiles one entry of a `context` list. */
export function compileWritten(entry: JsonObject, options: EntryOptions): ContextEntry {
  return compileEntry(parseContext([entry])[0]!, options);
}

interface FakeApi {
  readonly ports: Ports;
  readonly calls: string[];
}

/** Ports whose API server answers paths from a table, and counts the calls. */
export function fakeApi(
  answers: Record<string, Json>,
  wait = (): Promise<void> => Promise.resolve(),
): FakeApi {
  const calls: string[] = [];
  const call = async ({ method, path }: ApiCall): Promise<Answer> => {
    calls.push(`${method} ${path}`);
    await wait();
    return Object.hasOwn(answers, path)
      ? { ok: true, status: 200, body: answers[path]! }
      : { ok: false, status: 404, message: "not found" };
  };
  const refuse = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "not here" });
  const ports: Ports = {
    cluster: { call, resource: () => Promise.resolve(undefined) },
    http: { call: refuse },
    registry: { image: refuse },
    globals: { entry: refuse },
    clock: { now: () => 0 },
    entropy: { next: () => 0 },
  };
  return { ports, calls };
}

export function contextOf({ ports }: FakeApi, entries: JsonObject[], deadline?: () => AbortSignal): Context {
  const tracker = new LoadTracker({ ports, ...(deadline && { deadline }) });
  const environment = { now: () => 0, random: () => 0 };
  const root = Context.root({ tracker, environment }, {
    values: { request: { namespace: "default", object: { n: 2 } } },
  });
  const options = { policyNamespace: undefined, report: () => {}, variables: () => {}, need: () => {} };
  return root.child({ entries: entries.map((entry) => compileWritten(entry, options)) });
}

export async function query(context: Context, text: string): Promise<Json | string> {
  const expression = compileExpression(text);
  if (isFault(expression)) return expression.message;
  const value = await untilLoaded(context.tracker, () => expression.evaluate(context, context.environment));
  return isFault(value) ? `fault: ${value.message}` : value;
}

export const configMap = { name: "cm", configMap: { name: "settings", namespace: "default" } };

export const path = "/api/v1/namespaces/default/configmaps/settings";
