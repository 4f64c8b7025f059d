/** A folder with a policy, objects and tests, and the command test in it. */
import { dirname, join } from "node:path";
import { run } from "../../lib/cli/mod.ts";
import { addOwner, requireTeam } from "./team_policies.ts";

export const policy = `${requireTeam("Audit")}---${addOwner("Service", "platform")}`;

export const resources = `
apiVersion: v1
kind: Pod
metadata: { name: good, labels: { team: shop } }
---
apiVersion: v1
kind: Pod
metadata: { name: bad }
---
apiVersion: v1
kind: Service
metadata: { name: web }
`;

export const patched = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: default, labels: { owner: shop } }
`;

export const header = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [policy.yaml]
resources: [resources.yaml]
results:
`;

export const passing = `${header}
- { policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }
- { policy: require-team, rule: team, kind: Pod, resources: [bad], result: fail }
`;

export const failing = `${header}
- { policy: require-team, rule: team, kind: Pod, resources: [good, bad], result: pass }
- { policy: add-owner, rule: owner, kind: Service, resources: [web], result: pass, patchedResources: patched.yaml }
`;

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `postern test` on files in a folder of their own, which texts call `TESTS`. */
export async function test(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Outcome> {
  const folder = await Deno.makeTempDir();
  try {
    for (
      const [name, text] of Object.entries({ "policy.yaml": policy, "resources.yaml": resources, ...files })
    ) {
      await Deno.mkdir(dirname(join(folder, name)), { recursive: true });
      await Deno.writeTextFile(join(folder, name), text);
    }
    const lines = { out: [] as string[], err: [] as string[] };
    const terminal = {
      out: (line: string) => void lines.out.push(line),
      err: (line: string) => void lines.err.push(line),
    };
    const code = await run(["test", folder, ...args], terminal);
    const text = (all: readonly string[]): string => all.join("\n").replaceAll(folder, "TESTS");
    return { code, out: text(lines.out), err: text(lines.err) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
