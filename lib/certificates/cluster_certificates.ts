import { isFault } from "../json/mod.ts";
import type { Clock, Cluster } from "../ports.ts";
import { CertificateSecret } from "./certificate_secret.ts";
import type { CertificateReading, Certificates } from "./certificates.ts";
import { type Made, makeOrKeep } from "./made_certificates.ts";
import { registerAuthority } from "./register_authority.ts";

/** The names of the certificates, and the objects of the cluster that hold them and name their authority. */
export interface ClusterCertificatesOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** DNS names of the service. */
  readonly names: readonly string[];
  /** A Secret that exists, empty at first. All replicas serve its certificate. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** The name of the webhook configurations whose `caBundle` is kept current; none when absent. */
  readonly webhooks?: string;
}

/**
 * The most attempts to write. Of two replicas that start together one writes the certificate; the other's write
 * fails, and it reads again.
 */
const mostAttempts = 5;

/**
 * Certificates of Postern's authority in a Secret that all replicas share, so that no manifest contains a key. Each
 * call reads the Secret, makes a certificate or authority that is missing or due, and writes the authority into the
 * webhook configurations before a replica serves with it. Secret and configurations are read by name, so the rights
 * are narrow.
 */
export function clusterCertificates(options: ClusterCertificatesOptions): Certificates {
  const { cluster, clock, names, webhooks } = options;
  const keeper = new CertificateSecret(cluster, options.secret);
  let last: Made | undefined;
  return {
    async current(): Promise<CertificateReading> {
      let problem = "no certificate";
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const made = await makeOrKeep(last, keeper, { names, now: clock.now() });
        if (isFault(made)) {
          problem = made.message;
          continue;
        }
        last = made;
        const { certificate } = made;
        const unregistered = webhooks === undefined
          ? undefined
          : await registerAuthority(cluster, webhooks, certificate.caBundle ?? "");
        return { certificate, ...(unregistered !== undefined && { problem: unregistered.message }) };
      }
      return last === undefined
        ? { certificate: undefined, problem }
        : { certificate: last.certificate, problem };
    },
  };
}
