import { type OpenPorts, openPorts } from "../open_ports/mod.ts";
import { installedWebhooks, removeInstalledWebhooks, type ServiceReference } from "../install/mod.ts";
import { isFault } from "../json/mod.ts";
import { defaultKubeconfig } from "./apply/inputs.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The options of `unblock`. */
export interface UnblockArguments {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** `namespace/name`. */
  readonly service: string;
  readonly dryRun: boolean;
}

/**
 * `unblock`: deletes the webhook configurations that call Postern, so that requests in the cluster no longer depend on
 * Postern. Exit code 1 when it could not delete all of them, 2 when it cannot reach the cluster.
 */
export async function unblock(args: UnblockArguments, terminal: Terminal): Promise<number> {
  const [namespace = "", name = ""] = args.service.split("/");
  if (namespace === "" || name === "") return unusable("--service must be namespace/name", terminal);
  const opened = await openPorts({
    kubeconfig: args.kubeconfig ?? defaultKubeconfig(),
    context: args.context,
    serviceAccount: true,
  });
  if (isFault(opened)) return unusable(opened.message, terminal);
  try {
    if (opened.kind !== "live") {
      return unusable("no cluster: name one with --kubeconfig or $KUBECONFIG", terminal);
    }
    return await (args.dryRun ? show : remove)(opened, { namespace, name }, terminal);
  } finally {
    await opened.close();
  }
}

async function show(
  { ports, about }: OpenPorts,
  service: ServiceReference,
  terminal: Terminal,
): Promise<number> {
  const webhooks = await installedWebhooks(ports.cluster, service);
  if (isFault(webhooks)) return unusable(`${about}: ${webhooks.message}`, terminal);
  for (const { kind, name } of webhooks) terminal.out(`${kind} ${name} would be removed`);
  if (webhooks.length === 0) terminal.out(`no webhook calls ${service.namespace}/${service.name}`);
  return 0;
}

async function remove(
  { ports, about }: OpenPorts,
  service: ServiceReference,
  terminal: Terminal,
): Promise<number> {
  const { removed, problems } = await removeInstalledWebhooks(ports.cluster, service);
  for (const { kind, name } of removed) terminal.out(`${kind} ${name} removed`);
  for (const problem of problems) terminal.err(`error: ${about}: ${problem}`);
  if (problems.length > 0) return 1;
  if (removed.length === 0) {
    terminal.out(`no webhook calls ${service.namespace}/${service.name}`);
    return 0;
  }
  terminal.err(
    "note: no policy is evaluated any more. A running replica writes the webhooks again; to keep them away, first run\n" +
      `  kubectl -n ${service.namespace} scale deployment/${service.name} --replicas 0`,
  );
  return 0;
}
