import { environmentVariable } from "../adapters/mod.ts";
import { openGate } from "../host/mod.ts";
import { isFault } from "../json/mod.ts";
import type { LoadedPolicies } from "../sources/mod.ts";
import { counted } from "./counted.ts";
import {
  accessProblem,
  keyPairProblem,
  namespacedName,
  readAuthority,
  type ServeArguments,
  unusedWebhooks,
  withUsedWebhooks,
  wordProblem,
} from "./serve_arguments.ts";
import { greet } from "./serve_greeting.ts";
import { behindLog, serveLines } from "./serve_lines.ts";
import { type ServeMessages, serveMessages } from "./serve_messages.ts";
import { certificatesOf, liveSetting, recordSetting } from "./serve_setting.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

/** Milliseconds between two checks for a newer certificate, in a Secret of the cluster or in files. */
const checkEvery = { secret: 30_000, files: 60_000 };

/** `serve`: answers admission reviews until it is stopped. Exit code 2 when it cannot start. */
export async function serve(given: ServeArguments, terminal: Terminal): Promise<number> {
  const args = withUsedWebhooks(given), { clientCa } = args;
  // Until the port is open messages are written at once: no diagnostic of the start may be lost for lack of room.
  let messages = serveMessages(terminal, args);
  const refuse = (reason: string): number => {
    messages.refused(reason);
    return 2;
  };
  const readClientAuthority = clientCa === undefined ? undefined : () => readAuthority(clientCa);
  const clientAuthority = await readClientAuthority?.();
  if (isFault(clientAuthority)) return refuse(clientAuthority.message);
  const secretPath = args.secretPath ?? environmentVariable("POSTERN_SECRET_PATH");
  const problem = wordProblem(args) ?? keyPairProblem(args) ?? accessProblem({ ...args, secretPath });
  if (problem !== undefined) return refuse(problem);
  const unused = unusedWebhooks(given);
  if (unused !== undefined) messages.say("warn", unused);
  const lines = serveLines(terminal);
  const gate = await openGate({
    ...args,
    version,
    ignoreFailures: args.forceFailurePolicyIgnore === true,
    policies: [...args.policies, ...args.exceptions],
    services: { allowedAddresses: args.allowServiceAddress, namespaced: args.namespacedServiceCalls },
    images: args,
    ...(args.watchPolicies === true && { live: await liveSetting({ ...args, secretPath }) }),
    record: recordSetting(args),
    lease: { ...namespacedName(args.service), replica: environmentVariable("POD_NAME") },
    ...(args.webhooks !== undefined &&
      { registration: { name: args.webhooks, service: namespacedName(args.service) } }),
    hostname: args.host,
    ...(args.tls && { certificates: (cluster) => certificatesOf(args, cluster) }),
    checkEvery: args.certificateSecret === undefined ? checkEvery.files : checkEvery.secret,
    clientAuthority,
    readClientAuthority,
    secretPath,
    lines,
    loaded: (policies) => report(policies, args, messages),
    diagnosed: (diagnostics) => messages.diagnosed(diagnostics),
  });
  if (typeof gate === "string") return refuse(gate);
  const stopped = untilStopped(() => void gate.renew());
  greet({ args, gate, secretPath }, messages);
  messages = serveMessages(behindLog(terminal, lines), args);
  await stopped;
  messages.say("info", "stopping: requests under way are answered first");
  await gate.close();
  await lines.drain();
  return 0;
}

function report(
  { snapshot, diagnostics }: LoadedPolicies,
  { watchPolicies = false }: ServeArguments,
  { say, diagnosed }: ServeMessages,
): void {
  diagnosed(diagnostics);
  if (snapshot.policies.length === 0) {
    const others = watchPolicies
      ? "those of the cluster follow"
      : "name some with --policies, or a cluster's are served with --watch-policies";
    return say("info", `loaded no policies from files: ${others}`);
  }
  const names = snapshot.policies.map(({ policy, broken }) =>
    broken === undefined ? policy.key : `${policy.key} (broken)`
  );
  say("info", `loaded ${counted(names.length, "policy", "policies")}: ${names.join(", ")}`);
}

/** Waits for SIGINT or SIGTERM. SIGHUP makes the server load its certificate and policies again. */
async function untilStopped(renew: () => void): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  for (const signal of stopSignals) Deno.addSignalListener(signal, stop);
  if (!isWindows) Deno.addSignalListener("SIGHUP", renew);
  await stopped;
  // A second signal ends the process at once.
  for (const signal of stopSignals) Deno.removeSignalListener(signal, stop);
  if (!isWindows) Deno.removeSignalListener("SIGHUP", renew);
}

const isWindows = Deno.build.os === "windows";
const stopSignals: readonly Deno.Signal[] = isWindows ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
