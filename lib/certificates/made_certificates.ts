import { Fault, isFault } from "../json/mod.ts";
import type { Clock } from "../ports.ts";
import { CertificateFolder } from "./certificate_folder.ts";
import type { CertificateReading, Certificates } from "./certificates.ts";
import { reasonOf } from "./file_error.ts";
import type { CertificateKeeper } from "./kept_certificates.ts";
import { type Authority, issueCertificate, makeAuthority } from "./issue_certificate.ts";
import {
  bundleOf,
  certificateAge,
  lifeOf,
  readServingCertificate,
  type ServingCertificate,
} from "./serving_certificate.ts";

/** The names of the certificates, and where they are kept. */
export interface MadeCertificatesOptions {
  /** The DNS names and IP addresses of the server. */
  readonly names: readonly string[];
  readonly clock: Clock;
  /** The folder that keeps authority and certificate for the next start; without it they are in memory only. */
  readonly folder?: string;
}

/** Certificates that were made or read. */
export interface Made {
  readonly authority: Authority;
  /**
   * The authorities that callers must trust: the current one, and the former one while its certificates may be in
   * use.
   */
  readonly trusted: readonly string[];
  readonly certificate: ServingCertificate;
}

/**
 * Certificates of Postern's authority, made when there are none, when they do not cover the names, and when they are
 * due. An authority that is due gets a successor while it is still valid; the bundle then has both.
 */
export function madeCertificates({ names, clock, folder }: MadeCertificatesOptions): Certificates {
  const kept = folder === undefined ? undefined : new CertificateFolder(folder);
  let made: Made | undefined;
  let making: Promise<CertificateReading> | undefined;
  const renew = async (): Promise<CertificateReading> => {
    const next = await makeOrKeep(made, kept, { names, now: clock.now() });
    if (!isFault(next)) made = next;
    const problem = isFault(next) ? next.message : undefined;
    if (made === undefined) return { certificate: undefined, problem: problem ?? "no certificate" };
    return { certificate: made.certificate, ...(problem === undefined ? {} : { problem }) };
  };
  return {
    current() {
      if (made !== undefined && certificateAge(made.certificate, clock.now()) === "fresh") {
        return Promise.resolve({ certificate: made.certificate });
      }
      making ??= renew().finally(() => making = undefined);
      return making;
    },
  };
}

/**
 * Returns the kept certificates while they are fresh and cover the names. Otherwise it issues new ones and keeps
 * them.
 */
export async function makeOrKeep(
  made: Made | undefined,
  keeper: CertificateKeeper | undefined,
  { names, now }: { readonly names: readonly string[]; readonly now: number },
): Promise<Made | Fault> {
  try {
    const found = await keeper?.read();
    if (isFault(found)) return found;
    const authority = found?.authority ?? made?.authority;
    const former = found?.trusted ?? made?.trusted ?? [];
    const usable = authority !== undefined && ageOf(authority.cert, now) === "fresh";
    if (usable && found?.serving !== undefined && covers(found.serving, names)) {
      if (certificateAge(found.serving, now) === "fresh") {
        const certificate = { ...found.serving, caBundle: bundleOf(former) };
        return { authority, trusted: former, certificate };
      }
    }
    const issuer = usable ? authority : await makeAuthority(now);
    const older = former.filter((each) =>
      each.trim() !== issuer.cert.trim() && ageOf(each, now) !== "expired"
    );
    const trusted = [issuer.cert, ...older];
    const issued = await issueCertificate(issuer, names, now);
    const read = readServingCertificate(issued);
    if (isFault(read)) return read;
    const unkept = await keeper?.write({ authority: issuer, trusted, serving: issued });
    if (isFault(unkept)) return unkept;
    return { authority: issuer, trusted, certificate: { ...read, caBundle: bundleOf(trusted) } };
  } catch (error) {
    return new Fault(`making a certificate: ${reasonOf(error)}`);
  }
}

function ageOf(cert: string, now: number): ReturnType<typeof certificateAge> {
  const life = lifeOf(cert);
  return life === undefined ? "expired" : certificateAge(life, now);
}

function covers(certificate: ServingCertificate, names: readonly string[]): boolean {
  const has = new Set(certificate.names.map((name) => name.toLowerCase()));
  return names.every((name) => has.has(name.toLowerCase()));
}
