import { isCelFault } from "../../cel/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTextMap,
  type DocumentPath,
  Fault,
  field,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import type { Identity, LogTrust, SignatureLayout, Signer } from "../../ports.ts";
import { type CelEvaluation, type ExpressionSet, wanted } from "../cel/mod.ts";

/** A possible signer in an ImageValidatingPolicy. */
export interface PolicyAttestor {
  readonly kind: "cosign" | "notary";
  readonly by: Signer;
  readonly log: LogTrust;
  readonly annotations: Readonly<Record<string, string>>;
  readonly repository: string;
  readonly tagPrefix: string;
  /** The names of pull secrets for the repository of the signatures. */
  readonly pullSecrets: readonly string[];
  /** Why the attestor can never verify anything; `undefined` when it can. */
  readonly problem: string | undefined;
}

/** The layout in which an attestor's signatures are stored. */
export function layoutOf(kind: PolicyAttestor["kind"]): SignatureLayout {
  return kind === "notary" ? "notary" : "bundle or tag";
}

/** Returns an attestor for one request, whose texts may be expressions; `undefined` when there is none of that name. */
export type FindAttestor = (name: string) => PolicyAttestor | Fault | undefined;

/** Returns a text of an attestor: a constant, or the value of an expression, which needs an evaluation. */
type Text = (evaluation: CelEvaluation | undefined) => string | Fault;

/** The attestors of a policy, compiled. */
export interface CompiledAttestors {
  /** Returns the attestors of one request. Each is evaluated when an expression first needs it. */
  readonly forRequest: (evaluation: CelEvaluation) => FindAttestor;
  /** The attestors without expressions, with their paths. */
  readonly written: readonly (readonly [path: DocumentPath, attestor: PolicyAttestor])[];
}

/** Compiles `attestors`. */
export function compileAttestors(written: Json | undefined, expressions: ExpressionSet): CompiledAttestors {
  const compiled = asList(written).filter(isObject).map((attestor, index) => {
    const path: DocumentPath = ["spec", "attestors", index];
    return {
      name: asString(attestor["name"]) ?? "",
      path,
      resolve: compileAttestor(attestor, expressions, path),
    };
  });
  const byName = new Map(compiled.map((attestor) => [attestor.name, attestor]));
  return {
    written: compiled.flatMap(({ path, resolve }) => {
      const attestor = resolve(undefined);
      return attestor instanceof Fault ? [] : [[path, attestor] as const];
    }),
    forRequest(evaluation) {
      const found = new Map<string, PolicyAttestor | Fault>();
      return (name) => {
        const attestor = byName.get(name);
        if (attestor === undefined || found.has(name)) return found.get(name);
        found.set(name, new Fault(`the attestor ${name} needs itself`));
        const resolved = attestor.resolve(evaluation);
        found.set(name, resolved);
        return resolved;
      };
    },
  };
}

function compileAttestor(
  attestor: JsonObject,
  expressions: ExpressionSet,
  path: DocumentPath,
): (evaluation: CelEvaluation | undefined) => PolicyAttestor | Fault {
  const notary = asObject(attestor["notary"]), cosign = asObject(attestor["cosign"]) ?? {};
  const name = asString(attestor["name"]) ?? "";
  const text: CompileText = (value, part, ...steps) =>
    framed(compileText(value, expressions, [...path, ...steps]), name, part);
  if (notary !== undefined) {
    const certificates = text(notary["certs"], "notary cert", "notary", "certs");
    const timestamps = text(notary["tsaCerts"], "notary tsa cert", "notary", "tsaCerts");
    return (evaluation) => {
      const chain = certificates(evaluation), timestampRoots = timestamps(evaluation);
      if (chain instanceof Fault) return chain;
      if (timestampRoots instanceof Fault) return timestampRoots;
      const by: Signer = { kind: "certificates", certificate: "", chain, timestampRoots };
      return { kind: "notary", by, log: logOf({}), ...elsewhere({}), problem: undefined };
    };
  }
  const signer = compileSigner(cosign, text);
  const trustedRoot = text(cosign["trustedRoot"], "trustedRoot", "cosign", "trustedRoot");
  return (evaluation) => {
    const by = signer(evaluation), root = trustedRoot(evaluation);
    if (by instanceof Fault) return by;
    if (root instanceof Fault) return root;
    const log = { ...logOf(cosign), trustedRoot: root };
    return { kind: "cosign", by, log, ...elsewhere(cosign), problem: problemOf(cosign) };
  };
}

/**
 * Kyverno parity: an attestor without a signer verifies nothing; its roots must be certificates although they have no
 * other effect; and a log without an address fails unless it is ignored. Pinned by
 * tests/rules/verify_images/image_validating_test.ts.
 */
function problemOf({ key, keyless, certificate, ctlog }: JsonObject): string | undefined {
  if (!isObject(key) && !isObject(keyless) && !isObject(certificate)) {
    return "cosign verifier needs to have one key, keyless or certificate fields set";
  }
  const roots = textField(keyless, "roots");
  if (roots !== "" && !roots.includes("-----BEGIN CERTIFICATE-----")) {
    return "failed to load Root certificates: error creating root cert pool";
  }
  if (!isObject(ctlog) || ctlog["insecureIgnoreTlog"] === true) return undefined;
  return textField(ctlog, "url") === "" ? "rekor URL must be provided" : undefined;
}

function elsewhere(
  cosign: JsonObject,
): Pick<PolicyAttestor, "annotations" | "repository" | "tagPrefix" | "pullSecrets"> {
  return {
    annotations: asTextMap(cosign["annotations"]),
    repository: textField(cosign["source"], "repository"),
    tagPrefix: textField(cosign["source"], "tagPrefix"),
    pullSecrets: asList(field(cosign["source"], "PullSecrets")).map((secret) => textField(secret, "name")),
  };
}

/** Compiles a text of an attestor. Its failures name the part. */
type CompileText = (value: Json | undefined, part: string, ...steps: string[]) => Text;

/**
 * Adds the attestor and the part to the failures of a text. Kyverno parity: both are named twice. Pinned by
 * tests/rules/verify_images/image_compilation_test.ts.
 */
function framed(text: Text, name: string, part: string): Text {
  const frame =
    `failed to convert ${part} in compiled attestor: ${name}, error: failed to evaluate compiled attestor: ${name}, error: `;
  return (evaluation) => {
    const made = text(evaluation);
    return made instanceof Fault ? new Fault(frame + made.message) : made;
  };
}

function compileSigner(
  cosign: JsonObject,
  text: CompileText,
): (evaluation: CelEvaluation | undefined) => Signer | Fault {
  const key = asObject(cosign["key"]), certificate = asObject(cosign["certificate"]);
  // Kyverno parity: of several signers keyless comes first, then the key. Pinned by "an attestor with several signers
  // uses keyless, with the attestor's pull secrets".
  const isKeyless = isObject(cosign["keyless"]);
  if (key !== undefined && !isKeyless) {
    const hash = hashes.find((name) => name === key["hashAlgorithm"]) ?? "sha256";
    const value = keyText(key), expression = isObject(key["secretRef"]) ? "" : key["expression"] ?? "";
    const written = text({ value, expression }, "key", "cosign", "key");
    return (evaluation) => {
      const found = written(evaluation);
      return found instanceof Fault ? found : { kind: "key", key: found, hash };
    };
  }
  if (certificate !== undefined && !isKeyless) {
    const cert = text(certificate["cert"], "cert", "cosign", "certificate", "cert");
    const certChain = text(certificate["certChain"], "cert chain", "cosign", "certificate", "certChain");
    return (evaluation) => {
      const leaf = cert(evaluation), chain = certChain(evaluation);
      if (leaf instanceof Fault) return leaf;
      return chain instanceof Fault ? chain : { kind: "certificates", certificate: leaf, chain };
    };
  }
  const identities = asList(field(cosign["keyless"], "identities")).map((identity): Identity => ({
    issuer: textField(identity, "issuer"),
    issuerRegExp: textField(identity, "issuerRegExp"),
    subject: textField(identity, "subject"),
    subjectRegExp: textField(identity, "subjectRegExp"),
  }));
  // Kyverno parity: `keyless.roots` has no effect; the trusted root decides. Pinned by "an attestor with several
  // signers uses keyless, with the attestor's pull secrets".
  const by: Signer = { kind: "keyless", identities, compare: "literally", roots: "", extensions: {} };
  return () => by;
}

/** The text of a key: the key itself, or the address of its Secret or key management service. */
export function keyText(key: JsonObject): string {
  const secret = key["secretRef"];
  return isObject(secret)
    ? `k8s://${textField(secret, "namespace")}/${textField(secret, "name")}`
    : asString(key["data"] ?? key["kms"]) ?? "";
}

const hashes = ["sha224", "sha256", "sha384", "sha512"] as const;

/** Compiles `{value}` or `{expression}`. */
function compileText(written: Json | undefined, expressions: ExpressionSet, path: DocumentPath): Text {
  const expression = textField(written, "expression");
  const value = textField(written, "value");
  if (expression === "") return () => value;
  const program = expressions.compile(expression, [...path, "expression"], wanted.dynamicText);
  return (evaluation) => {
    if (evaluation === undefined) return new Fault("the text is an expression");
    const made = program === undefined ? "" : evaluation.evaluate(program);
    if (isCelFault(made)) return new Fault(made.message);
    return typeof made === "string" ? made : new Fault("an attestor's expression must give a text");
  };
}

function logOf(cosign: JsonObject): LogTrust {
  const { ctlog, tuf } = cosign;
  return {
    ignoreTlog: field(ctlog, "insecureIgnoreTlog") === true,
    rekorUrl: textField(ctlog, "url"),
    rekorKey: textField(ctlog, "rekorPubKey"),
    ignoreSct: field(ctlog, "insecureIgnoreSCT") === true,
    ctlogKey: textField(ctlog, "ctLogPubKey"),
    tsaChain: textField(ctlog, "tsaCertChain"),
    trustedRoot: "",
    tufMirror: textField(tuf, "mirror"),
  };
}
