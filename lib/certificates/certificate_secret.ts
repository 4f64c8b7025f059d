import { asObject, asString, Fault, field, type JsonObject } from "../json/mod.ts";
import type { Cluster } from "../ports.ts";
import {
  type CertificateKeeper,
  type KeptCertificates,
  type NewCertificates,
  readKept,
} from "./kept_certificates.ts";
import { pemBundle } from "./serving_certificate.ts";

/**
 * A Secret that keeps a certificate authority and a serving certificate: `ca.crt`, `ca.key`, `tls.crt`, `tls.key`. It
 * must exist, so that the right to create Secrets is not needed. A write replaces exactly the version that was read;
 * otherwise it is a fault, and the caller reads again.
 */
export class CertificateSecret implements CertificateKeeper {
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #title: string;
  #read: JsonObject | undefined;

  constructor(cluster: Cluster, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    this.#cluster = cluster;
    this.#path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
    this.#title = `Secret ${namespace}/${name}`;
  }

  async read(): Promise<KeptCertificates | Fault | undefined> {
    const answer = await this.#cluster.call({ method: "GET", path: this.#path });
    if (!answer.ok) {
      const advice = answer.status === 404 ? "; apply the manifests again: they have it, empty" : "";
      return new Fault(`${this.#title}: ${answer.message}${advice}`);
    }
    this.#read = asObject(answer.body) ?? {};
    const data = field(this.#read, "data");
    const text = (name: string): string | undefined => decoded(asString(field(data, name)));
    const files = {
      "ca.crt": text("ca.crt"),
      "ca.key": text("ca.key"),
      "tls.crt": text("tls.crt"),
      "tls.key": text("tls.key"),
    };
    const remedy = "put it right, or empty the Secret to have new ones made";
    return readKept(files, { location: this.#title, remedy });
  }

  async write({ authority, trusted, serving }: NewCertificates): Promise<Fault | undefined> {
    const texts = {
      "ca.crt": pemBundle(trusted),
      "ca.key": authority.key,
      "tls.crt": serving.cert,
      "tls.key": serving.key,
    };
    const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, btoa(text)]));
    // The resourceVersion makes the API server refuse the write if the Secret changed since.
    const body = { ...this.#read, data: { ...asObject(field(this.#read, "data")), ...data } };
    const answer = await this.#cluster.call({ method: "PUT", path: this.#path, body });
    return answer.ok ? undefined : new Fault(`${this.#title}: ${answer.message}`);
  }
}

function decoded(base64: string | undefined): string | undefined {
  if (base64 === undefined || base64 === "") return undefined;
  try {
    return atob(base64);
  } catch {
    return "";
  }
}
