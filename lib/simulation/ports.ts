import { mockedCalls, mockedEntries, mockedImages, systemClock, systemEntropy } from "../embedded/mod.ts";
import { type AbsentSource, unservedEntries } from "../context/mod.ts";
import type { Answer, Cluster, Http, Ports } from "../ports.ts";
import type { GivenContext } from "./given_context.ts";
import type { Lookups } from "./lookups.ts";

/** The language of a call: rules in JMESPath, or CEL, which gets the answers of services as `body`. */
type Language = "jmespath" | "cel";

/** The input of {@link simulationPorts}. */
export interface SimulationPortsOptions {
  readonly cluster: Cluster;
  readonly language: Language;
  readonly lookups: Lookups;
}

/**
 * Ports that reach only a cluster in memory and given answers. A call without a given answer fails with a message
 * that names the field to write it to. Signatures cannot be verified.
 */
export function simulationPorts(
  { apiCallResponses, globalContextEntries, images }: GivenContext,
  { cluster, language, lookups }: SimulationPortsOptions,
): Ports {
  const clock = systemClock(), entropy = systemEntropy();
  const calls = mockedCalls(apiCallResponses);
  return lookups.observe({
    cluster: {
      call: (call) => {
        const given = calls(call.method, call.path);
        return given === undefined ? cluster.call(call) : Promise.resolve(given);
      },
      resource: (apiVersion, kind) => cluster.resource(apiVersion, kind),
    },
    http: givenServices((method, url) => {
      const answer = calls(method, url);
      return answer?.ok === true && language === "cel" ? { ...answer, body: { body: answer.body } } : answer;
    }),
    registry: mockedImages(images),
    globals: mockedEntries(globalContextEntries, { now: clock.now, random: entropy.next }),
    clock,
    entropy,
  });
}

function givenServices(answer: (method: string, url: string) => Answer | undefined): Http {
  return {
    call: ({ method, url }) => {
      const message = `${method} ${url}: no answer is given; write one under apiCallResponses`;
      return Promise.resolve(answer(method, url) ?? { ok: false, status: undefined, message });
    },
  };
}

/**
 * The sources of values that are absent. Kyverno parity: without a described cluster, `kyverno test` loads no
 * ConfigMaps and makes no API calls, and given values replace them. Pinned by "without a cluster, given values replace
 * loaded ones, as in tests of policies".
 */
export function absentSources(
  { objects, apiCallResponses, globalContextEntries, images }: GivenContext,
): readonly AbsentSource[] {
  return unservedEntries({
    cluster: objects.length > 0,
    calls: apiCallResponses.length > 0,
    globals: globalContextEntries.length > 0,
    images: images.length > 0,
  });
}
