import { Fault, isFault } from "../json/mod.ts";
import type { Clock } from "../ports.ts";
import type { Certificates } from "./certificates.ts";
import { reasonOf } from "./file_error.ts";
import { readPemFile } from "./pem_file.ts";
import { certificateAge, readServingCertificate, type ServingCertificate } from "./serving_certificate.ts";

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

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
