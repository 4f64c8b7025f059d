/** Helm and kustomize, as `tests/e2e/deploy_tools` builds them. */

/** A program that a test needs. */
export interface DeployTool {
  /** `undefined` where it was not built; standard error says so once. */
  readonly path: string | undefined;
}

/** Looks for a program in `$DEPLOY_TOOLS`, or where it is built by default. */
export async function deployTool(name: "helm" | "kustomize"): Promise<DeployTool> {
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
  const path = `${Deno.env.get("DEPLOY_TOOLS") ?? `${cache}/kube-test/bin`}/${name}`;
  const found = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
  if (found) return { path };
  Deno.stderr.writeSync(
    new TextEncoder().encode(
      `${name} is not there (tests/e2e/deploy_tools builds it): its tests are skipped\n`,
    ),
  );
  return { path: undefined };
}
