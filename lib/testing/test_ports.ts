import {
  EmbeddedCluster,
  type MockedCalls,
  mockedCalls,
  mockedEntries,
  mockedImages,
} from "../embedded/mod.ts";
import { HttpClient, systemClock, systemEntropy } from "../adapters/mod.ts";
import { ImageSignatures } from "../registries/mod.ts";
import { type AbsentSource, unservedEntries } from "../context/mod.ts";
import type { Json, JsonObject } from "../json/mod.ts";
import { parseApiVersion, pluralOf } from "../kube/mod.ts";
import type { ApiResource, Clock, Cluster, Entropy, Http, Ports, Registry, Signatures } from "../ports.ts";
import { offlineSignatures } from "./offline_signatures.ts";

/** The objects and answers that a test gives in place of a cluster, services and the global context. */
export interface TestSetup {
  /** The objects of the test's cluster, with those that rules change or copy. */
  readonly objects: readonly Json[];
  /** The objects that policies are evaluated for. */
  readonly resources: readonly Json[];
  /** Whether the test describes a cluster, so that policies can read from it. */
  readonly isCluster: boolean;
  /** The source of images that the test does not describe; none when absent. */
  readonly lookup?: TestLookup;
  /** The image records of its context file. */
  readonly images: readonly JsonObject[];
  /** Its `apiCallResponses`. */
  readonly apiCallResponses: readonly JsonObject[];
  /** Its `globalContextEntries`, with the objects of their files. */
  readonly globalContextEntries: readonly JsonObject[];
}

/**
 * Opens the ports that read image registries, or a recording of them; keys are in the Secrets of the test's cluster.
 */
export type TestLookup = (reached: {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly cluster: Cluster;
}) => { readonly registry: Registry; readonly signatures: Signatures & { close(): Promise<void> } };

/** The ports of a test, and a function that closes them. */
export interface TestPorts {
  readonly ports: Ports;
  close(): Promise<void>;
}

/** The language that reads from the ports. */
export type TestLanguage = "jmespath" | "cel";

/**
 * The ports of a test. Kyverno parity: a service without a mocked answer is really called by CEL expressions, and by
 * rules in a test with `clusterResources`. CEL expressions cannot read the objects under test unless the test describes
 * a cluster, and they get the mocked answer of a service as `body` beside `statusCode`. Pinned by "without a cluster,
 * expressions in CEL do not see the other objects of the test", tests/cli/test_entries_test.ts and
 * tests/cli/given_answers_test.ts.
 */
export function testPorts(setup: TestSetup, language: TestLanguage): TestPorts {
  const clock = systemClock();
  const entropy = systemEntropy();
  const seen = language === "jmespath" || setup.isCluster ? setup.resources : [];
  const objects = [...setup.objects, ...seen];
  const embedded = new EmbeddedCluster({ objects, intake: "verbatim", clock, entropy });
  const cluster = withAnyKind(embedded);
  const calls = mockedCalls(setup.apiCallResponses);
  const services = language === "cel" ? wrapped(calls) : calls;
  const mocked = setup.apiCallResponses.length > 0;
  const isOffline = language === "jmespath" && !setup.isCluster;
  const lookup = setup.lookup?.({ clock, entropy, cluster });
  const signatures = lookup?.signatures ?? new ImageSignatures({ clock, entropy, cluster });
  const ports: Ports = {
    cluster: mocked ? mockedCluster(calls, isOffline ? withoutFailures(cluster) : cluster) : cluster,
    http: mocked ? mockedHttp(services, isOffline ? noServices : new HttpClient()) : new HttpClient(),
    registry: mockedImages(setup.images, lookup?.registry),
    // A signed manifest contains its signature, so it is verified offline. Signatures of images are in a registry,
    // which a test calls only when the caller allows it.
    signatures: lookup === undefined ? offlineSignatures(signatures) : signatures,
    globals: mockedEntries(setup.globalContextEntries, { now: clock.now, random: entropy.next }),
    clock,
    entropy,
  };
  return { ports, close: () => signatures.close() };
}

function wrapped(calls: MockedCalls): MockedCalls {
  return (method, url) => {
    const answer = calls(method, url);
    return answer?.ok === true ? { ...answer, body: { body: answer.body } } : answer;
  };
}

/**
 * The sources of values that a test does not have. Kyverno parity: without `clusterResources`, ConfigMaps and API
 * calls are not loaded; the test's values replace them. Pinned by "without a cluster, values stand in for
 * ConfigMaps".
 */
export function absentSources(setup: TestSetup): readonly AbsentSource[] {
  return unservedEntries({
    cluster: setup.isCluster,
    calls: setup.apiCallResponses.length > 0,
    globals: setup.globalContextEntries.length > 0,
    images: setup.images.length > 0 || setup.lookup !== undefined,
  });
}

/**
 * Kyverno parity: rules of a test may generate objects of kinds that it does not describe. Pinned by "objects of
 * unknown kinds are generated and compared".
 */
function withAnyKind(cluster: EmbeddedCluster): Cluster {
  return {
    call: (call) => cluster.call(call),
    resource: async (apiVersion, kind) =>
      await cluster.resource(apiVersion, kind) ?? supposedResource(apiVersion, kind),
  };
}

function supposedResource(apiVersion: string, kind: string): ApiResource | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  // The kinds of the core group are built in.
  return group === "" ? undefined : { group, version, kind, plural: pluralOf(kind), namespaced: true };
}

function mockedCluster(mocked: MockedCalls, cluster: Cluster): Cluster {
  return {
    call: async (call) => mocked(call.method, call.path) ?? await cluster.call(call),
    resource: (apiVersion, kind) => cluster.resource(apiVersion, kind),
  };
}

function mockedHttp(mocked: MockedCalls, http: Http): Http {
  return { call: async (call) => mocked(call.method, call.url) ?? await http.call(call) };
}

/** No service is called: values stand in for the answers that the test does not give. */
const noServices: Http = {
  call: ({ method, url }) => {
    const message = `the test gives no answer for ${method} ${url}; write one under apiCallResponses`;
    return Promise.resolve({ ok: false, status: undefined, message, isNotGiven: true });
  },
};

/** A cluster whose answers are only given ones: values stand in for what it does not have. */
function withoutFailures(cluster: Cluster): Cluster {
  return {
    call: async (call) => {
      const answer = await cluster.call(call);
      return answer.ok ? answer : { ...answer, isNotGiven: true };
    },
    resource: (apiVersion, kind) => cluster.resource(apiVersion, kind),
  };
}
