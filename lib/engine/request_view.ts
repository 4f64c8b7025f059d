import { type Computed, Context, type LoadTracker, StagedWork } from "../context/mod.ts";
import type { Environment } from "../jmespath/mod.ts";
import { asString, dig, Fault, isFault, type Json, type JsonObject, setField } from "../json/mod.ts";
import { extractImagesInStages, type ResourceType, serviceAccountVariables, typeOf } from "../kube/mod.ts";
import type { Candidate, User } from "../match/mod.ts";
import type { PolicyException } from "../policy/mod.ts";
import type { RuleInput } from "../rules/mod.ts";
import { requestVariables } from "../template/mod.ts";
import type { Facts } from "./facts.ts";
import type { PolicyRequest } from "./request.ts";
import type { RuleWatch } from "./rule_watch.ts";
import type { Trace } from "./trace.ts";

/** Returns the values that the command line gives for context entries that it cannot load. */
export type GivenValues = (policy: string, rule: string) => JsonObject;

/** The fields that all views of a request share. */
export interface ViewBase {
  readonly request: PolicyRequest;
  readonly facts: Facts;
  readonly tracker: LoadTracker;
  /** Time and randomness for expressions. */
  readonly environment: Environment;
  readonly given: GivenValues | undefined;
  /** Set after the answer, when rules that change the cluster are evaluated for their effects. */
  readonly background?: Background | undefined;
  /** Set when the decision is explained. */
  readonly trace?: Trace | undefined;
  /** Called around each rule; it is the trace, if there is one. */
  readonly watch?: RuleWatch | undefined;
}

/** The options of evaluating effects after the answer. */
export interface Background {
  /**
   * The users who carry out effects. Rules are not evaluated for changes by them unless they set
   * `skipBackgroundRequests` to false.
   */
  readonly actors?: ReadonlySet<string>;
}

/**
 * A request as the next rule sees it: the mutated object, the root of the context, and the candidates for matching.
 * Views are immutable; a mutation makes a new one.
 */
export class RequestView implements Computed {
  readonly base: ViewBase;
  readonly operation: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  #root: Context | undefined;
  readonly #user: User | undefined;
  readonly #type: ResourceType;
  /** The object in expressions. */
  readonly #shown: JsonObject | undefined;
  /** Values that all rules share, each made for the first rule that reads it. */
  #candidate: Candidate | undefined | typeof notComputed = notComputed;
  #plainInput: RuleInput | undefined;
  #imagesWork: StagedWork<JsonObject | Fault> | undefined;

  private constructor(
    base: ViewBase,
    state: {
      operation: string;
      object: JsonObject | undefined;
      oldObject: JsonObject | undefined;
      user: User | undefined;
      shown?: JsonObject | undefined;
      type?: ResourceType;
    },
  ) {
    this.base = base;
    this.operation = state.operation;
    this.object = state.object;
    this.oldObject = state.oldObject;
    this.#user = state.user;
    this.#shown = state.shown ?? state.object;
    this.#type = state.type ?? base.request;
  }

  /** The view of a new request. */
  static of(base: ViewBase): RequestView {
    const { request, facts } = base;
    const user = request.requester && {
      username: request.requester.username,
      groups: request.requester.groups,
      roles: facts.roles,
      clusterRoles: facts.clusterRoles,
    };
    return new RequestView(base, {
      operation: request.operation,
      object: request.object,
      oldObject: request.oldObject,
      user,
    });
  }

  /** The same request after a rule changed its object. */
  mutated(object: JsonObject): RequestView {
    return new RequestView(this.base, {
      operation: this.operation,
      object,
      oldObject: this.oldObject,
      user: this.#user,
    });
  }

  /**
   * The view after a mutation that failed. Kyverno parity: the following rules find no object, match by the old one
   * if there is one, and still see the object in their context. Pinned by "after a mutation that failed the following
   * rules match by the old object".
   */
  withoutObject(): RequestView {
    const state = { operation: this.operation, object: {}, oldObject: this.oldObject, user: this.#user };
    return new RequestView(this.base, { ...state, shown: this.#shown });
  }

  /** The view with the old object as the new one, for rules about deleted or former objects. */
  former(): RequestView | undefined {
    const { operation, oldObject } = this;
    if (isEmpty(oldObject)) return undefined;
    return new RequestView(this.base, { operation, object: oldObject, oldObject, user: this.#user });
  }

  /** The view of the old object as a new one without a user: it shows whether a rule failed before the update. */
  existing(): RequestView | undefined {
    if (this.operation !== "UPDATE" || this.oldObject === undefined) return undefined;
    // Kyverno parity: the type is that of the whole old object, also when the request is about a subresource.
    // Pinned by "a violation by a subresource is denied although the whole object violated the rule before".
    const type = { ...typeOf(this.oldObject), subresource: "" };
    const user = { username: invalid, groups: [invalid], roles: [invalid], clusterRoles: [invalid] };
    return new RequestView(this.base, {
      operation: "CREATE",
      object: this.oldObject,
      oldObject: undefined,
      user,
      type,
    });
  }

  /** The outermost layer of the rules' context. */
  get root(): Context {
    return this.#root ??= Context.root(this.base, { computed: this });
  }

  /** Most rules read few fields of the request, so each is built when a rule reads it. */
  get names(): readonly string[] {
    return requestVariables;
  }

  compute(name: string): Json | Fault | undefined {
    switch (name) {
      case "request":
        return this.#variable();
      case "images":
        return this.#images();
      case "serviceAccountName":
      case "serviceAccountNamespace":
        return this.#account(name);
      default:
        return undefined;
    }
  }

  /** The object that match and exclude read: the new object, or the old one where there is no new one. */
  candidate(): Candidate | undefined {
    return this.#candidate === notComputed ? this.#candidate = this.#newCandidate() : this.#candidate;
  }

  /** Whether the request has a new or an old object. A payload may be empty. */
  get hasObject(): boolean {
    return !isEmpty(this.object) || !isEmpty(this.oldObject) || this.base.request.payload !== undefined;
  }

  /** The input of a rule's body. */
  input(context: Context, exceptions: readonly PolicyException[]): RuleInput {
    if (context !== this.root || exceptions.length > 0) return this.#newInput(context, exceptions);
    return this.#plainInput ??= this.#newInput(context, noExceptions);
  }

  #newInput(context: Context, exceptions: readonly PolicyException[]): RuleInput {
    const { variable, namespaceLabels, namespaceObject, payload, group, version, kind } = this.base.request;
    return {
      context,
      resource: this.object,
      oldResource: this.oldObject,
      operation: this.operation,
      request: variable,
      namespaceLabels,
      namespaceObject,
      payload,
      group,
      version,
      kind,
      exceptions,
    };
  }

  #newCandidate(): Candidate | undefined {
    if (!this.hasObject && this.operation !== "CONNECT") return undefined;
    const resource = isEmpty(this.object) ? this.oldObject ?? this.object : this.object;
    const { group, version, kind, subresource } = this.#type;
    return {
      group,
      version,
      kind,
      subresource,
      plural: asString(dig(this.base.request.variable, "resource", "resource")),
      operation: this.operation,
      resource: resource ?? {},
      oldResource: this.oldObject,
      namespaceLabels: this.base.facts.namespaceLabels,
      user: this.#user,
      steps: this.base.tracker.steps,
    };
  }

  #variable(): JsonObject {
    const { request, facts } = this.base;
    const variable: { [name: string]: Json } = { ...request.variable };
    if (this.#shown !== request.object) setField(variable, "object", this.#shown ?? null);
    if (this.oldObject !== request.oldObject) setField(variable, "oldObject", this.oldObject ?? null);
    if (this.operation !== request.operation) variable["operation"] = this.operation;
    if (this.#user !== undefined) {
      // Kyverno parity: a user without roles has no such key, so reading it is an error. Pinned by "a user
      // without roles has no roles to read".
      if (facts.roles.length > 0) variable["roles"] = facts.roles;
      if (facts.clusterRoles.length > 0) variable["clusterRoles"] = facts.clusterRoles;
    }
    return variable;
  }

  #account(name: "serviceAccountName" | "serviceAccountNamespace"): string | undefined {
    if (this.#user === undefined) return undefined;
    const { name: account, namespace } = serviceAccountVariables(this.base.request.requester?.username ?? "");
    return name === "serviceAccountName" ? account : namespace;
  }

  #images(): Json | Fault | undefined {
    if (this.#shown === undefined) return undefined;
    this.#imagesWork ??= new StagedWork(extractImagesInStages(this.#shown));
    const work = this.#imagesWork.advance(this.base.tracker);
    if ("stopped" in work) return new Fault("the images are being looked for");
    const images = work.value;
    return isFault(images) || Object.keys(images).length > 0 ? images : undefined;
  }
}

const notComputed = Symbol("not computed");

/** The exceptions of most rules: none. The input of a rule without exceptions can then be shared. */
export const noExceptions: readonly PolicyException[] = [];

const invalid = "kyverno:invalid";

function isEmpty(object: JsonObject | undefined): boolean {
  if (object === undefined) return true;
  for (const _ in object) return false;
  return true;
}
