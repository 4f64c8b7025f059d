import { decodeCertificate } from "../../kube/mod.ts";
import { perCharacter } from "../costs.ts";
import { type FunctionNotes, type FunctionRecord, parameter } from "./record.ts";

const example = `-----BEGIN CERTIFICATE REQUEST-----
MIIBUTCBuwIBADASMRAwDgYDVQQDDAdleGFtcGxlMIGfMA0GCSqGSIb3DQEBAQUA
A4GNADCBiQKBgQC/dI0eUZH0XfUgd872gyZ2ohXa5tD2mM4cbF4C5m3QeXHO2SOw
EGBBs+a/A9RL4PVmEk65tSTEosBGFPyzFECCKFSKvwaG67Xh27OsDYO4u86RIdAH
XmM1S4Bs63GXSd/YPQ5Ee0Fy5uZHH8xTtRU4i5mJX7BLQ0KIlge8Ba3kCwIDAQAB
oAAwDQYJKoZIhvcNAQELBQADgYEAfl2IvlRcLrwn/aKqzaZJ9WNhhLskTT0b11Nh
nIGQNpuA3k4mGnldFN7+uAwVwdoDYtEtxIxMooSW3xGFb5iYXU5YkN8CRIKYR/VY
AYIXfIgEInzQ3YFiZRR98xwWYaB3m165805uWSoZ9hlDkzRCuhwaCc1XoaalXdIN
iQreXwk=
-----END CERTIFICATE REQUEST-----`;

/** Kyverno's function `x509_decode`. */
export const certificates: readonly FunctionRecord[] = [
  {
    kind: "plain",
    name: "x509_decode",
    parameters: [parameter("pem", "string")],
    returns: ["object"],
    steps: 1_000,
    cost: perCharacter(0.25),
    apply: ([pem]) => decodeCertificate(pem as string),
  },
];

/** The notes of these functions. */
export const certificateNotes: FunctionNotes = {
  x509_decode: {
    summary:
      "A certificate or a certificate request of an RSA key as an object, with the fields of Go's x509 package.",
    examples: [{ expression: "x509_decode(@).Subject.CommonName", input: example, result: "example" }],
  },
};
