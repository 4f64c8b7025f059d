import type { Context, Span, Tracer } from "@opentelemetry/api";
import { environmentVariable } from "../../adapters/mod.ts";
import type { CompiledRule, RuleResult } from "../../engine/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import type { Ports } from "../../ports.ts";
import type { EvaluationSpans, TracedEvaluation, Tracing } from "../../server/mod.ts";
import { type TraceCall, tracedPorts } from "./traced_ports.ts";

type Api = typeof import("@opentelemetry/api");

/** The most spans of one evaluation, of rules and calls. */
const mostSpans = 1_000;

/**
 * Makes spans with OpenTelemetry when Deno exports them, which `OTEL_DENO=true` enables; otherwise `undefined`, and
 * no code of OpenTelemetry is loaded.
 */
export async function openTracing(version: string): Promise<Tracing | undefined> {
  if (!["true", "1"].includes(environmentVariable("OTEL_DENO") ?? "")) return undefined;
  const api = await import("@opentelemetry/api");
  const tracer = api.trace.getTracer("postern", version);
  return { begin: (evaluation) => new Spans({ api, tracer }, evaluation) };
}

/** The span of an evaluation, with one below it for each rule that had a result and for each call. */
class Spans implements EvaluationSpans {
  readonly ports: Ports;
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #root: Span;
  /** Messages may quote the object. */
  readonly #isSecret: boolean;
  readonly #context: Context;
  readonly #postponed = new Map<CompiledRule, number>();
  #current: { readonly policy: Policy; readonly rule: CompiledRule; readonly since: number } | undefined;
  #made = 0;

  constructor(
    { api, tracer }: { readonly api: Api; readonly tracer: Tracer },
    { request, phase, rules, ports, started }: TracedEvaluation,
  ) {
    this.#api = api;
    this.#tracer = tracer;
    this.ports = tracedPorts(ports, this.#traceCall);
    const { uid, operation, kind, namespace, name } = request;
    this.#isSecret = kind === "Secret";
    this.#root = tracer.startSpan(
      `${rules === "audit" ? "audit" : "review"} ${phase}`,
      {
        kind: api.SpanKind.SERVER,
        startTime: performance.timeOrigin + started,
        attributes: {
          "admission.uid": uid,
          "admission.operation": operation,
          "admission.kind": kind,
          "admission.namespace": namespace,
          "admission.name": name,
        },
      },
      api.ROOT_CONTEXT,
    );
    this.#context = api.trace.setSpan(api.ROOT_CONTEXT, this.#root);
  }

  begin(policy: Policy, rule: CompiledRule): void {
    this.#current = { policy, rule, since: this.#postponed.get(rule) ?? now() };
  }

  postpone(): void {
    if (this.#current !== undefined) this.#postponed.set(this.#current.rule, this.#current.since);
  }

  finish(results: readonly RuleResult[]): void {
    const [result] = results;
    if (this.#current === undefined || result === undefined || ++this.#made > mostSpans) return;
    const { policy, rule, since } = this.#current;
    const attributes = {
      "policy.kind": policy.kind,
      "policy.name": policy.key,
      "rule.name": rule.rule.name,
      "rule.type": rule.type,
      "rule.result": result.result,
    };
    const span = this.#tracer.startSpan(
      `rule ${policy.key}/${rule.rule.name}`,
      { startTime: since, attributes },
      this.#context,
    );
    if (result.result === "error") this.#failed(span, result.message);
    span.end(now());
  }

  end(outcome: { readonly allowed: boolean } | { readonly failure: string }): void {
    if ("failure" in outcome) this.#failed(this.#root, outcome.failure);
    else this.#root.setAttribute("admission.allowed", outcome.allowed);
    this.#root.end(now());
  }

  readonly #traceCall: TraceCall = async ({ name, attributes }, run) => {
    if (++this.#made > mostSpans) return await run();
    const kind = this.#api.SpanKind.CLIENT;
    const span = this.#tracer.startSpan(
      name,
      { kind, startTime: now(), attributes: { ...attributes } },
      this.#context,
    );
    const answer = await run();
    if (!answer.ok) this.#failed(span, "message" in answer ? String(answer.message) : "");
    span.end(now());
    return answer;
  };

  #failed(span: Span, message: string): void {
    const { ERROR } = this.#api.SpanStatusCode;
    span.setStatus(this.#isSecret ? { code: ERROR } : { code: ERROR, message });
  }
}

/** Milliseconds since 1970, with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
