import type { Gate } from "../host/mod.ts";
import { isLoopback, type ServeArguments } from "./serve_arguments.ts";
import type { ServeMessages } from "./serve_messages.ts";

/** The facts that the greeting shows. */
export interface Greeting {
  readonly args: ServeArguments;
  readonly gate: Gate;
  readonly secretPath: string | undefined;
}

/** Prints the address of the server and, on this machine alone, a request to try. */
export function greet({ args, gate, secretPath }: Greeting, { say }: ServeMessages): void {
  const { port, metricsPort, caBundle, about } = gate;
  // Never write the secret itself: a reader of the log could then send forged reviews.
  const below = secretPath === undefined ? "" : "/$SECRET_PATH";
  const url = `${args.tls ? "https" : "http"}://${args.host}:${port}${below}`;
  say(
    "info",
    `\nPostern listens on ${url} (metrics: http://${args.host}:${metricsPort}/metrics), with the ${about}.`,
  );
  // A user who writes a webhook configuration by hand needs the caBundle. A pod writes the configuration itself.
  const writesWebhooks = args.webhooks !== undefined || args.watchPolicies === true;
  const isPod = writesWebhooks && !isLoopback(args.host);
  if (caBundle !== undefined && !isPod) say("info", `caBundle of its certificate: ${caBundle}`);
  // In a container, which listens on every address, no user at this terminal could run the command below.
  if (!isLoopback(args.host)) return;
  say(
    "info",
    `\nTry it:\n\n  curl -sk ${url}/validate/fail -H 'Content-Type: application/json' -d '${sampleReview}'\n`,
  );
}

/** A review of a Pod that most policies deny. */
const sampleReview = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "try-it",
    kind: { group: "", version: "v1", kind: "Pod" },
    resource: { group: "", version: "v1", resource: "pods" },
    namespace: "default",
    name: "web",
    operation: "CREATE",
    userInfo: { username: "you" },
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "default" },
      spec: {
        hostNetwork: true,
        containers: [{ name: "web", image: "nginx:latest", securityContext: { privileged: true } }],
      },
    },
  },
});
