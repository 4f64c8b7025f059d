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
  scopeOf,
  setField,
} from "../../json/mod.ts";
import { notServedMessage } from "../../kube/mod.ts";
import { compileTemplate, type Template } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { Context, ContextEntry } from "../context.ts";
import type { ContextEntryKind } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import type { Answer } from "../../ports.ts";
import { EntryQueries } from "../query.ts";
import { readPath } from "../read_path.ts";
import { checkQuery } from "./entry_checks.ts";
import { apiCallShape, type ApiCallSpec, parseApiCall } from "./api_call_spec.ts";

/** `apiCall`: the answer of the API server or of a service. */
export interface ApiCallEntry {
  readonly kind: "apiCall";
  readonly name: string;
  readonly call: ApiCallSpec;
}

/** A call with all variables resolved. */
interface ResolvedCall {
  readonly method: "GET" | "POST";
  readonly urlPath: string;
  readonly body: Json | undefined;
  readonly url: string;
  readonly caBundle: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly jmesPath: string;
}

/** The descriptions of `apiCall` and of its fields. */
export const apiCallNotes: FieldNotes = {
  "apiCall": "The answer of the Kubernetes API or of a service.",
  "urlPath": "A path of the Kubernetes API: `/api/v1/namespaces/{{ request.namespace }}/pods`.",
  "method": "`GET` or `POST`. Default GET.",
  "apiCall.data": "What a POST sends: a list of keys and values.",
  "data.key": "The name of a field.",
  "data.value": "The value of the field; it may have variables.",
  "service": "A service that is called in place of the Kubernetes API.",
  "service.url": "The address of the service.",
  "caBundle": "Certificates in PEM that the service's certificate is checked with.",
  "headers": "Headers of the call.",
  "headers.key": "The name of the header.",
  "headers.value": "The value of the header.",
};

/**
 * `apiCall: {urlPath | service, method, data, jmesPath, default}`: a call to the API server, or to a service.
 * Kyverno parity: the default stands in for a call that fails, and for nothing else; jmesPath is not applied to it.
 * Pinned by "apiCall: a default stands in for calls that fail, not for expressions that do".
 */
export const apiCallKind: ContextEntryKind<ApiCallEntry> = {
  kind: "apiCall",
  shape: { ...apiCallShape, jmesPath: "text", default: "open" },
  read: (name, written) => ({ kind: "apiCall", name, call: parseApiCall(written) }),
  compile: compileApiCall,
  isServed: ({ cluster, calls }) => cluster || calls,
};

function compileApiCall({ name, call: spec }: ApiCallEntry, options: EntryOptions): ContextEntry {
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
      severity: "error",
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
  checkQuery("apiCall", spec.jmesPath, options);
  options.variables(fallback?.uses ?? [], ["apiCall", "default"]);
  const { policyNamespace } = options;
  const queries = new EntryQueries("document");
  const compiled = { name, method, urlPath: spec.urlPath, call, fallback, policyNamespace, queries };
  return { name, source: "apiCall", load: (view) => load(compiled, view) };
}

/** A call of a policy, compiled. */
interface CompiledCall extends Pick<ResolvedCall, "method"> {
  /** The name of its context entry. */
  readonly name: string;
  /** As the policy has it, with variables. */
  readonly urlPath: string;
  readonly call: Template;
  /** The template of the value for a call that fails. */
  readonly fallback: Template | undefined;
  readonly queries: EntryQueries;
  /** The namespace of its Policy; `undefined` for a ClusterPolicy. */
  readonly policyNamespace: string | undefined;
}

function load(compiled: CompiledCall, view: Context): Json | Fault {
  const { name, method, urlPath, call, fallback, policyNamespace, queries } = compiled;
  const rendered = call.render(view, view.environment);
  if (isFault(rendered)) {
    return unfetched(
      `failed to substitute variables in context entry ${name} ${urlPath}: ${rendered.message}`,
    );
  }
  const resolved = resolve(asObject(rendered)!, method);
  const problem = policyNamespace === undefined || resolved.url !== ""
    ? undefined
    : namespaceProblem(resolved.urlPath, policyNamespace);
  if (problem !== undefined) return unfetched(problem);
  const tooLarge = resolved.body === undefined ? undefined : view.tracker.countWritten(resolved.body);
  if (tooLarge !== undefined) return unfetched(tooLarge.message);
  const { pendingReads } = view.tracker;
  const answer = resolved.url === ""
    ? readCluster(resolved, view)
    : callService(resolved, view, { name, policyNamespace });
  if (isFault(answer)) {
    // Kyverno parity: a value stands in for a call without an answer. Pinned by tests/cli/given_answers_test.ts.
    const given = answer instanceof NotGiven ? view.get(name) : undefined;
    if (given !== undefined) return given;
    // The fallback is for a call that has ended.
    return fallback && view.tracker.pendingReads === pendingReads
      ? fallback.render(view, view.environment)
      : answer;
  }
  if (resolved.jmesPath === "") return answer;
  const result = queries.apply(resolved.jmesPath, scopeOf(answer), view.environment);
  if (!isFault(result)) return result;
  return new Fault(
    `failed to store data for APICall: failed to apply JMESPath ${resolved.jmesPath} for context entry ${name}: ${result.message}`,
  );
}

function resolve(rendered: JsonObject, method: ResolvedCall["method"]): ResolvedCall {
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

function callService(
  { method, url, body, caBundle, headers }: ResolvedCall,
  { tracker }: Context,
  { name, policyNamespace }: Pick<CompiledCall, "name" | "policyNamespace">,
): Json | Fault {
  return tracker.load(`${method} ${url}`, async () => {
    const answer = await tracker.ports.http.call({
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      ...(caBundle !== undefined && { caBundle }),
      ...(policyNamespace !== undefined && { namespace: policyNamespace }),
      ...tracker.call,
    });
    return answer.ok
      ? answer.body
      : unfetched(`failed to execute HTTP request for APICall ${name}: ${answer.message}`, answer);
  }, JSON.stringify([textOf(body), headers, caBundle ?? "", policyNamespace ?? ""]));
}

function readCluster({ method, urlPath, body }: ResolvedCall, { tracker }: Context): Json | Fault {
  const name = `${method} ${urlPath}`;
  if (method === "GET") return readPath(tracker, { name, path: urlPath }, valueOf);
  const call = { method, path: urlPath, ...(body !== undefined && { body }), ...tracker.call };
  return tracker.load(name, () => tracker.ports.cluster.call(call).then(valueOf), textOf(body));

  function valueOf(answer: Answer): Json | Fault {
    if (answer.ok) return answer.body;
    // Kyverno parity: a raw call to a missing path has this short message. Pinned by "apiCall: a missing path has the
    // message of a raw call".
    const message = answer.status === 404 ? notServedMessage : answer.message;
    return unfetched(`failed to ${method} resource with raw url: ${urlPath}: ${message}`, answer);
  }
}

function textOf(body: Json | undefined): string {
  return body === undefined ? "" : JSON.stringify(body);
}

/** The fault of a call for which no answer is given. */
class NotGiven extends Fault {}

function unfetched(cause: string, { isNotGiven }: { readonly isNotGiven?: true } = {}): Fault {
  return new (isNotGiven ? NotGiven : Fault)(`failed to fetch data for APICall: ${cause}`);
}

/**
 * Why a Policy of a namespace may not call a path: it may only read its own namespace, which stands behind the version.
 * Behind `proxy` a segment is part of another server's path. The adapter refuses paths with dots, so each part of the
 * path is literal.
 */
function namespaceProblem(urlPath: string, namespace: string): string | undefined {
  const [, found] = /^\/(?:api|apis\/[^/?]+)\/[^/?]+\/namespaces\/([^/?]+)/.exec(urlPath) ?? [];
  const hasDots = urlPath.split("?")[0]!.split("/").includes("..");
  if (found === undefined || hasDots) {
    return `path ${urlPath} does not contain a namespace segment, which is required for namespaced policies`;
  }
  return found === namespace
    ? undefined
    : `path ${urlPath} refers to namespace ${found}, which is different from the policy namespace ${namespace}`;
}
