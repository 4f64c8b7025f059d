import { isFault } from "../../json/mod.ts";
import { decodeCertificate } from "../../kube/mod.ts";
import { readingEffort } from "../effort.ts";
import { failure } from "../fault.ts";
import { dynType, stringType } from "../types/mod.ts";
import { withDoubles } from "./json_value.ts";
import { type Library, overload } from "./library.ts";

/** `x509.decode(pem)`: a certificate or certificate request of an RSA key as an object. Numbers are doubles. */
export const x509Library: Library = {
  name: "kyverno.x509",
  functions: [
    {
      name: "x509.decode",
      overloads: [
        overload({
          id: "x509_decode_string",
          takes: [stringType],
          gives: dynType,
          effort: readingEffort(25, 0, 60_000),
          call: (pem) => {
            const decoded = decodeCertificate(pem);
            return isFault(decoded) ? failure(decoded.message) : withDoubles(decoded);
          },
        }),
      ],
    },
  ],
};
