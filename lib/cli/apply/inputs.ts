import { type ApplyOptions, documentObjects, ignoredOperations } from "../../apply/mod.ts";
import { type AbsentSource, unservedEntries } from "../../context/mod.ts";
import { commandOptions, compile, type Snapshot } from "../../engine/mod.ts";
import { openPorts } from "../../open_ports/mod.ts";
import { asList, Fault, isFault, isObject, type JsonObject } from "../../json/mod.ts";
import type { Dialect } from "../../match/mod.ts";
import { streamDocuments } from "../../sources/mod.ts";
import { EmbeddedCluster, mockedImages } from "../../embedded/mod.ts";
import type { Ports } from "../../ports.ts";
import { ImageRecorder } from "../../registries/mod.ts";
import { Diagnostics, type ShownDeletions, unevaluatedPolicies } from "../diagnostics.ts";
import { imageSource, type RecordingArguments, writeRecording } from "../image_recording.ts";
import { standardInputProblem } from "../standard_input.ts";
import type { Terminal } from "../terminal.ts";
import { type GivenArguments, readGiven } from "./given.ts";
import { hasGlobalEntries, inItsScope } from "./global_entries.ts";
import { type PolicyFileArguments, readPolicyFiles } from "./policy_files.ts";

/** The arguments of commands that apply policies to objects. */
export interface ApplyInputArguments extends RecordingArguments, GivenArguments, PolicyFileArguments {
  readonly json?: readonly string[];
  /** AdmissionReviews, for commands that take them. */
  readonly review?: readonly string[];
  readonly targetResource: readonly string[];
  readonly parameterResource: readonly string[];
  readonly clusterObjects: readonly string[];
  readonly cluster: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly registry: boolean;
  readonly trustedRoot: readonly string[];
  readonly searchLogs: boolean;
  readonly dialect: Dialect;
}

/** The policies of a command, with the ports and objects for applying them. */
export interface ApplyInputs extends AsyncDisposable {
  readonly snapshot: Snapshot;
  readonly options: ApplyOptions;
  /** The number of PolicyExceptions in effect. */
  readonly exceptions: number;
  readonly diagnostics: Diagnostics;
  /** The cluster that is read, in words: `cluster at https://…`. */
  readonly about: string;
}

/** Reads all inputs except the objects. A fault means that the command cannot run at all. */
export async function openInputs(
  args: ApplyInputArguments,
  terminal: Terminal,
  shows: Pick<ShownDeletions, "showsCleanups"> = {},
): Promise<ApplyInputs | Fault> {
  const problem = argumentProblem(args);
  if (problem !== undefined) return new Fault(problem);
  const diagnostics = new Diagnostics(terminal);
  const { policies, exceptions } = await readPolicyFiles(args, diagnostics);
  const snapshot = compile([...policies, ...exceptions], commandOptions(args));
  diagnostics.add(
    ...snapshot.diagnostics,
    ...unevaluatedPolicies(snapshot, { showsDeleting: true, ...shows }),
  );
  const given = await readGiven(args, diagnostics);
  if (isFault(given)) return given;
  const { values, user } = given;
  diagnostics.add(...ignoredOperations(snapshot, values));
  const source = await imageSource(args);
  if (isFault(source)) return source;
  const opened = await openGivenPorts(args, { snapshot, context: given.context, source, diagnostics });
  if (isFault(opened)) return opened;
  const { ports, absent, isOffline, about } = opened;
  return {
    snapshot,
    about,
    options: { snapshot, ports, values, user, absent, namespaces: isOffline ? "values" : "cluster" },
    exceptions: exceptions.length,
    diagnostics,
    async [Symbol.asyncDispose]() {
      await opened.close();
      if (source instanceof ImageRecorder) {
        diagnostics.add(...await writeRecording(source, args.recordImages ?? ""));
      }
    },
  };
}

interface GivenPortsOptions {
  readonly snapshot: Snapshot;
  /** The `spec` of the Context. */
  readonly context: JsonObject;
  readonly source: Exclude<Awaited<ReturnType<typeof imageSource>>, Fault>;
  readonly diagnostics: Diagnostics;
}

/** The ports of a command, with the sources that they do not have. */
interface GivenPorts extends Pick<ApplyOptions, "ports"> {
  readonly absent: readonly AbsentSource[];
  /** Whether neither a cluster nor an embedded one is given. */
  readonly isOffline: boolean;
  readonly about: string;
  close(): Promise<void>;
}

/** Opens the ports that the options name. */
async function openGivenPorts(
  args: ApplyInputArguments,
  { snapshot, context, source, diagnostics }: GivenPortsOptions,
): Promise<GivenPorts | Fault> {
  const extra = await objectsOfFiles([...args.targetResource, ...args.parameterResource], diagnostics);
  const named = [...extra, ...asList(context["resources"]).filter(isObject)];
  const kubeconfig = args.kubeconfig ?? (args.cluster ? defaultKubeconfig() : undefined);
  const opened = await openPorts({
    cluster: args.clusterObjects,
    kubeconfig,
    context: args.context,
    serviceAccount: args.cluster,
    images: { trustedRoot: args.trustedRoot, searchLogs: args.searchLogs, source },
    // Reads the files a second time, but only when a policy looks up objects.
    objects: async () => [
      ...named,
      ...(await objectsOfFiles(args.resource, new Diagnostics(silent))).map(inItsScope),
    ],
  });
  if (isFault(opened)) return opened;
  if (args.cluster && opened.kind !== "live") {
    return new Fault("no cluster: name one with --kubeconfig or $KUBECONFIG");
  }
  diagnostics.add(...opened.diagnostics);
  const images = asList(context["images"]).filter(isObject);
  const { ports } = opened;
  const registry = images.length === 0 ? ports.registry : mockedImages(images, ports.registry);
  const isOffline = args.clusterObjects.length === 0 && opened.kind === "embedded";
  // The command looks up images only if the options say so.
  const looksUpImages = args.registry || images.length > 0 || source !== undefined;
  return {
    ports: { ...ports, registry, ...isOffline && celObjects(context, ports) },
    absent: isOffline
      ? absentOffline(args, {
        images: looksUpImages,
        globals: await hasGlobalEntries(snapshot, args.resource),
      })
      : [],
    isOffline,
    about: opened.about,
    close: () => opened.close(),
  };
}

/**
 * The objects of a Context file, the only ones that expressions in CEL read. Kyverno parity: they do not see the other
 * objects that are given. Pinned by "expressions in CEL read the objects of the context file alone".
 */
function celObjects(context: JsonObject, { clock, entropy }: Ports): Pick<Ports, "celObjects"> {
  const objects = asList(context["resources"]).filter(isObject);
  if (objects.length === 0) return {};
  return { celObjects: new EmbeddedCluster({ objects, intake: "verbatim", clock, entropy }) };
}

/** Without a cluster, API calls and parameters are read from the given objects; values replace all other sources. */
function absentOffline(
  { parameterResource }: ApplyInputArguments,
  given: { readonly images: boolean; readonly globals: boolean },
): readonly AbsentSource[] {
  const entries = unservedEntries({ cluster: false, calls: true, ...given });
  return [...entries, "downstream", ...parameterResource.length === 0 ? ["parameters" as const] : []];
}

const silent: Terminal = { out: () => {}, err: () => {} };

/** Kyverno parity: these options exclude one another. Pinned by tests/cli/apply_test.ts. */
function argumentProblem(args: ApplyInputArguments): string | undefined {
  const { policies, resource, json = [], review = [], cluster, valuesFile, set } = args;
  if (valuesFile !== undefined && set.length > 0) {
    return "values come from --values-file or from --set, not from both";
  }
  const twice = standardInputProblem({
    policies,
    resources: [...resource, ...json],
    reviews: review,
    exceptions: args.exception,
    targets: args.targetResource,
    parameters: args.parameterResource,
    "objects of the cluster": args.clusterObjects,
  });
  if (twice !== undefined) return twice;
  if (resource.length > 0 && json.length > 0) return "use --resource or --json, not both";
  if (resource.length + json.length + review.length === 0 && !cluster) {
    return review === undefined || args.review === undefined
      ? "no resources: name files or folders with --resource, or use --cluster"
      : "no resources: name files or folders with --resource, --json or --review, or use --cluster";
  }
  const remote = [...resource, ...json].find((path) => /^(?!https?:)[a-z][a-z0-9+]*:\/\//.test(path));
  return remote === undefined
    ? undefined
    : `${remote}: resources are read from files and from addresses with http; download it first`;
}

async function objectsOfFiles(paths: readonly string[], diagnostics: Diagnostics): Promise<JsonObject[]> {
  const objects: JsonObject[] = [];
  for await (const part of streamDocuments(paths)) {
    if (part.kind === "problem") diagnostics.add(part.diagnostic);
    if (part.kind !== "document") continue;
    const read = documentObjects(part.document);
    diagnostics.add(...read.diagnostics);
    objects.push(...read.objects.map(({ object }) => object));
  }
  return objects;
}

/** The kubeconfig that kubectl would read: the first file of `$KUBECONFIG`, or the default file. */
export function defaultKubeconfig(): string | undefined {
  const [named] = (Deno.env.get("KUBECONFIG") ?? "").split(Deno.build.os === "windows" ? ";" : ":");
  if (named) return named;
  const home = Deno.env.get("HOME");
  if (Deno.env.get("KUBERNETES_SERVICE_HOST") !== undefined || home === undefined) return undefined;
  return `${home}/.kube/config`;
}
