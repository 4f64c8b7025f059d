import { systemClock } from "../adapters/mod.ts";
import type { GateOptions, RecorderOptions } from "../host/mod.ts";
import {
  type Certificates,
  clusterCertificates,
  givenCertificates,
  madeCertificates,
} from "../certificates/mod.ts";
import type { Installation } from "../live/mod.ts";
import type { Cluster } from "../ports.ts";
import { eventReasons, rowResults } from "../report/mod.ts";
import { namespacedName, type ServeArguments, wordsOf } from "./serve_arguments.ts";

/** The recorder of reviews that the options request; `undefined` without `--record`. */
export function recordSetting(
  { record, recordReviews, recordMegabytes }: ServeArguments,
): RecorderOptions | undefined {
  return record === undefined
    ? undefined
    : { folder: record, maxReviews: recordReviews, maxBytes: recordMegabytes * 1_000_000 };
}

/** The settings of policies in the cluster (`--watch-policies`). */
export async function liveSetting(args: ServeArguments): Promise<NonNullable<GateOptions["live"]>> {
  const { openReports, policyReports } = await import("../live/mod.ts");
  return {
    installation: installationOf(args),
    lookForExpired: args.ttlInterval * 1000,
    omittedEvents: new Set(wordsOf(args.omitEvents, eventReasons)),
    reports: args.openReports === true ? openReports : policyReports,
    reportedResults: new Set(wordsOf(args.reportResults, rowResults)),
    ignoreFailures: args.forceFailurePolicyIgnore === true,
    exceptionNamespace: args.exceptionNamespace,
  };
}

/** The names of the installation's objects: Postern's, or Kyverno's for users who look for those. */
function installationOf(args: ServeArguments): Omit<Installation, "caBundle"> {
  const { namespace, name: service } = namespacedName(args.service);
  const isKyverno = args.installNames === "kyverno";
  const account = (name: string): string => `system:serviceaccount:${namespace}:${name}`;
  const posternAccount = account("postern");
  return {
    namespace,
    service,
    servicePort: args.servicePort ?? 443,
    prefix: args.installNames,
    path: args.secretPath ?? "",
    configMap: args.installNames,
    accounts: isKyverno
      ? {
        background: account("kyverno-background-controller"),
        reports: account("kyverno-reports-controller"),
        cleanup: account("kyverno-cleanup-controller"),
      }
      : { background: posternAccount, reports: posternAccount, cleanup: posternAccount },
  };
}

/** The source of certificates that the options request. */
export function certificatesOf(args: ServeArguments, cluster: Cluster): Certificates {
  const { tlsCert, tlsKey, tlsCa, certDir, host, certificateSecret, webhooks } = args;
  const clock = systemClock();
  if (tlsCert !== undefined || tlsKey !== undefined) {
    return givenCertificates({
      certFile: tlsCert ?? "",
      keyFile: tlsKey ?? "",
      ...(tlsCa !== undefined && { caFile: tlsCa }),
      clock,
    });
  }
  const service = namesOfService(args.service);
  if (certificateSecret !== undefined) {
    const names = [...service, "localhost", "127.0.0.1"];
    return clusterCertificates({
      cluster,
      clock,
      names,
      secret: namespacedName(certificateSecret),
      ...(webhooks !== undefined && { webhooks }),
    });
  }
  const names = [
    ...new Set([host === "0.0.0.0" ? "127.0.0.1" : host, "127.0.0.1", "localhost", ...service]),
  ];
  return madeCertificates({ names, clock, ...(certDir !== undefined && { folder: certDir }) });
}

/** The DNS names under which the API server calls a service (`namespace/name`). */
function namesOfService(service: string): string[] {
  const { namespace, name } = namespacedName(service);
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}
