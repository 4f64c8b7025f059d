/** Reviews that cost as much as one request can: each is just below the 3 MB that the API server takes. */
import type { Json, JsonObject } from "../../lib/json/mod.ts";

/** A review by what is large in it. */
export interface HostileReview {
  readonly what: string;
  /** Where it is sent: `/mutate/fail` or `/validate/fail`. */
  readonly paths: readonly string[];
  readonly body: string;
}

const size = 2_900_000;

/** Makes lists of elements until they fill a review. */
function filled(element: (index: number) => Json, extra = 0): Json[] {
  const each = JSON.stringify(element(99_999)).length + 1 + extra;
  return Array.from({ length: Math.floor(size / each) }, (_, index) => element(index));
}

function review(what: string, object: JsonObject): HostileReview {
  const request = {
    uid: "hostile",
    kind: { group: "", version: "v1", kind: String(object["kind"]) },
    resource: { group: "", version: "v1", resource: "pods" },
    namespace: "default",
    name: "hostile",
    operation: "CREATE",
    userInfo: { username: "mallory", groups: ["system:authenticated"] },
    object,
  };
  const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request });
  return { what, paths: ["/mutate/fail", "/validate/fail"], body };
}

function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "hostile", namespace: "default", ...metadata },
    spec,
  };
}

const container = { name: "web", image: "nginx:1.27" };

/** The reviews, made when they are asked for. */
export function hostileReviews(): HostileReview[] {
  return [
    review("containers", pod({ containers: filled((index) => ({ name: `c${index}`, image: "nginx" })) })),
    review(
      "privileged containers",
      pod({
        containers: filled((index) => ({
          name: `c${index}`,
          image: "nginx:latest",
          securityContext: { privileged: true, runAsUser: 0, capabilities: { add: ["SYS_ADMIN"] } },
        })),
      }),
    ),
    review("containers without names", pod({ containers: filled(() => ({ image: "a" })) })),
    review("ports", pod({ containers: [{ ...container, ports: filled((index) => ({ hostPort: index })) }] })),
    review(
      "capabilities",
      pod({
        containers: [{
          ...container,
          securityContext: { capabilities: { add: filled((index) => `CAP_${index}`) } },
        }],
      }),
    ),
    review(
      "volumes",
      pod({ containers: [container], volumes: filled((index) => ({ name: `v${index}`, hostPath: {} })) }),
    ),
    review(
      "labels",
      pod({ containers: [container] }, {
        labels: Object.fromEntries(filled((index) => `l${index}`, 4).map((name) => [String(name), "x"])),
      }),
    ),
    review("numbers", pod({ containers: [container], numbers: filled(() => 1) })),
    review("one long text", pod({ containers: [{ name: "web", image: "a".repeat(size) }] })),
    review("one long image path", pod({ containers: [{ name: "web", image: "a/".repeat(size / 2) }] })),
    review(
      "deep objects",
      pod({ containers: [container], nested: JSON.parse("[".repeat(490) + "]".repeat(490)) }),
    ),
  ];
}
