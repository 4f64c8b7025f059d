import { Fault, isFault } from "../json/mod.ts";
import type { Clock } from "../ports.ts";
import { CertificateFolder } from "./certificate_folder.ts";
import type { CertificateKeeper } from "./kept_certificates.ts";
import { type Authority, issueCertificate, makeAuthority } from "./issue_certificate.ts";
import { readPemFile } from "./pem_file.ts";
import {
  bundleOf,
  certificateAge,
  lifeOf,
  readServingCertificate,
  type ServingCertificate,
} from "./serving_certificate.ts";

/** The current serving certificate, and why a newer one could not replace it. */
export type CertificateReading =
  | { readonly certificate: ServingCertificate; readonly problem?: string }
  | { readonly certificate: undefined; readonly problem: string };

/** The source of serving certificates. Call it regularly: it renews certificates when they are due. */
export interface Certificates {
  /** It never throws. A certificate that cannot be used leaves the former one in its place. */
  current(): Promise<CertificateReading>;
}

/** The files of the certificate. */
export interface GivenCertificatesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authority, unless the certificate's file contains it. */
  readonly caFile?: string;
  readonly clock: Clock;
  readonly readText?: (path: string) => Promise<string>;
}

/** Certificates from files that somebody else renews (`--tls-cert`, `--tls-key`). They are read at each call. */
export function givenCertificates(options: GivenCertificatesOptions): Certificates {
  let last: ServingCertificate | undefined;
  return {
    async current() {
      const read = await readGiven(options);
      if (!isFault(read)) {
        last = read;
        return { certificate: read };
      }
      return last === undefined
        ? { certificate: undefined, problem: read.message }
        : { certificate: last, problem: read.message };
    },
  };
}

async function readGiven(options: GivenCertificatesOptions): Promise<ServingCertificate | Fault> {
  const { certFile, keyFile, caFile, clock, readText = readPemFile } = options;
  const texts: string[] = [];
  for (const file of [certFile, keyFile, ...(caFile === undefined ? [] : [caFile])]) {
    try {
      texts.push(await readText(file));
    } catch (error) {
      return new Fault(`${file}: ${reasonOf(error)}`);
    }
  }
  const [cert = "", key = "", ca] = texts;
  const read = readServingCertificate({ cert, key, ...(ca === undefined ? {} : { ca }) });
  const files = `${certFile}, ${keyFile}${caFile === undefined ? "" : `, ${caFile}`}`;
  if (isFault(read)) return new Fault(`${files}: ${read.message}`);
  const age = certificateAge(read, clock.now());
  if (age === "expired") {
    return new Fault(`${certFile}: the certificate expired at ${timeText(read.notAfter)}`);
  }
  if (age === "not yet valid") {
    return new Fault(`${certFile}: the certificate is valid only from ${timeText(read.notBefore)} on`);
  }
  return read;
}

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

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return error instanceof Error ? error.message : String(error);
}
