import {
  asList,
  asObject,
  asString,
  Fault,
  goPrint,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import { compileTemplate } from "../template/mod.ts";
import type { ApiCallEntry } from "../policy/mod.ts";
import type { Answer } from "../ports.ts";
import type { Context, ContextEntry } from "./context.ts";
import type { EntryOptions } from "./entry_options.ts";
import { queryDocument } from "./query.ts";

/** What a call asks for, with all variables resolved. */
interface ResolvedCall {
  readonly method: "GET" | "POST";
  readonly urlPath: string;
  readonly body: Json | undefined;
  readonly url: string;
  readonly caBundle: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly jmesPath: string;
}

/**
 * `apiCall: {urlPath | service, method, data, jmesPath, default}`: a call to the API server, or to a service.
 * Kyverno parity: the default stands in for a call that fails, and for nothing else; jmesPath is not applied to it.
 */
export function compileApiCall({ name, call: spec }: ApiCallEntry, options: EntryOptions): ContextEntry {
  const { policyNamespace } = options;
  const { method, service } = spec;
  const call = compileTemplate({
    urlPath: spec.urlPath,
    jmesPath: spec.jmesPath,
    data: spec.body.map(({ key, value }) => [key, value]),
    service: service === undefined ? {} : {
      url: service.url,
      ...(service.caBundle !== undefined && { caBundle: service.caBundle }),
      headers: service.headers.map(({ key, value }) => ({ key, value })),
    },
  });
  const fallback = spec.default === undefined ? undefined : compileTemplate(spec.default);
  if (spec.urlPath === "" && service === undefined) {
    options.report({
      code: "empty-call",
      message: `Context entry "${name}" calls nothing: give it urlPath or service`,
      path: ["apiCall"],
    });
  }
  options.need(
    service === undefined
      ? { kind: "path", path: spec.urlPath, method, caller: `context entry ${name}` }
      : { kind: "service", url: service.url },
  );
  options.variables(call.uses, ["apiCall"]);
  options.variables(fallback?.uses ?? [], ["apiCall", "default"]);
  return { name, source: "apiCall", load };

  function load(view: Context): Json | Fault {
    const rendered = call.render(view, view.environment);
    if (isFault(rendered)) {
      return unfetched(
        `failed to substitute variables in context entry ${name} ${spec.urlPath}: ${rendered.message}`,
      );
    }
    const resolved = resolve(asObject(rendered)!);
    const trespass = policyNamespace === undefined || resolved.url !== ""
      ? undefined
      : trespassOf(resolved.urlPath, policyNamespace);
    if (trespass !== undefined) return unfetched(trespass);
    const { pendingReads } = view.store;
    const answer = ask(view, resolved);
    if (isFault(answer)) {
      const isUnderWay = view.store.pendingReads !== pendingReads;
      return isUnderWay || fallback === undefined ? answer : fallback.render(view, view.environment);
    }
    if (resolved.jmesPath === "") return answer;
    const result = queryDocument(resolved.jmesPath, answer, view.environment);
    if (!isFault(result)) return result;
    return new Fault(
      `failed to store data for APICall: failed to apply JMESPath ${resolved.jmesPath} for context entry ${name}: ${result.message}`,
    );
  }

  function resolve(rendered: JsonObject): ResolvedCall {
    const service = asObject(rendered["service"]) ?? {};
    const body: { [key: string]: Json } = {};
    for (const pair of asList(rendered["data"])) {
      setField(body, goPrint(asList(pair)[0] ?? ""), asList(pair)[1] ?? null);
    }
    const headers: { [name: string]: string } = {};
    for (const header of asList(service["headers"])) {
      if (isObject(header) && isString(header["key"])) {
        setField(headers, header["key"], goPrint(header["value"] ?? ""));
      }
    }
    return {
      method,
      urlPath: goPrint(rendered["urlPath"] ?? ""),
      url: asString(service["url"]) ?? "",
      caBundle: asString(service["caBundle"]),
      headers,
      jmesPath: goPrint(rendered["jmesPath"] ?? ""),
      body: method === "POST" ? body : undefined,
    };
  }

  function ask({ store }: Context, { urlPath, url, body, caBundle, headers }: ResolvedCall): Json | Fault {
    const payload = body === undefined ? "" : JSON.stringify(body);
    if (url !== "") {
      return store.load(`${method} ${url}`, async () => {
        const answer = await store.ports.http.call({
          method,
          url,
          headers,
          ...(body !== undefined && { body }),
          ...(caBundle !== undefined && { caBundle }),
          ...(policyNamespace !== undefined && { namespace: policyNamespace }),
          ...store.call,
        });
        return answer.ok
          ? answer.body
          : unfetched(`failed to execute HTTP request for APICall ${name}: ${answer.message}`);
      }, JSON.stringify([payload, headers, caBundle ?? "", policyNamespace ?? ""]));
    }
    return store.load(`${method} ${urlPath}`, async () =>
      settled(
        await store.ports.cluster.call({
          method,
          path: urlPath,
          ...(body !== undefined && { body }),
          ...store.call,
        }),
        `failed to ${method} resource with raw url: ${urlPath}`,
      ), payload);
  }

  function settled(answer: Answer, failure: string): Json | Fault {
    if (answer.ok) return answer.body;
    // Kyverno parity: raw calls are told no more than this about what is not there.
    const message = answer.status === 404
      ? "the server could not find the requested resource"
      : answer.message;
    return unfetched(`${failure}: ${message}`);
  }
}

function unfetched(cause: string): Fault {
  return new Fault(`failed to fetch data for APICall: ${cause}`);
}

/**
 * Why a Policy of a namespace may not ask for a path: only what lies in its own namespace is its business. Whoever sends
 * the call refuses paths with dots, so the parts mean what they say.
 */
function trespassOf(urlPath: string, namespace: string): string | undefined {
  const [, found] = /^\/apis?\/(?:[^?]*?\/)namespaces\/([^/?]+)/.exec(urlPath) ?? [];
  const hasDots = urlPath.split("?")[0]!.split("/").includes("..");
  if (found === undefined || hasDots) {
    return `path ${urlPath} does not contain a namespace segment, which is required for namespaced policies`;
  }
  return found === namespace
    ? undefined
    : `path ${urlPath} refers to namespace ${found}, which is different from the policy namespace ${namespace}`;
}
