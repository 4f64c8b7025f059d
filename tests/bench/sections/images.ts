import { ImageSignatures, systemClock, systemEntropy } from "../../../lib/adapters/mod.ts";
import type { LogTrust, SignatureQuestion, Signer } from "../../../lib/ports.ts";
import { bundleWithEntry, trustedRootOf } from "../../adapters/signing/bundle.ts";
import { attest, envelope, signImage } from "../../adapters/signing/cosign.ts";
import { Signers } from "../../adapters/signing/fixtures.ts";
import { TestRegistry } from "../../adapters/signing/registry.ts";
import { type Bench, median } from "../bench.ts";

const PROVENANCE = "https://slsa.dev/provenance/v0.2";

/** One kind of signature: puts an image and says what is asked about it. */
interface Kind {
  readonly what: string;
  readonly put: (name: string) => void;
  readonly ask: Partial<SignatureQuestion>;
  /** Milliseconds that a first verification may take. */
  readonly goal?: number;
}

/** What the verification of images costs, with a registry on this machine and in this process. */
export async function images({ results, rounds }: Bench): Promise<void> {
  results.section("Signatures of images, with a registry on this machine");
  const registry = new TestRegistry();
  const signatures = new ImageSignatures({ clock: systemClock(), entropy: systemEntropy() });
  const signers = new Signers();
  try {
    const verify = async (name: string, ask: Partial<SignatureQuestion>): Promise<void> => {
      const answer = await signatures.verify({ ...plain(`${registry.host}/${name}`, signers), ...ask });
      if (!answer.ok) throw new Error(`${name}: ${answer.message}`);
    };
    for (const [index, { what, put, ask, goal }] of kinds(registry, signers).entries()) {
      const first: number[] = [], again: number[] = [];
      for (let round = 0; round < 10 * rounds; round++) {
        const name = `app${index}:v${round}`;
        put(name);
        first.push(await timed(() => verify(name, ask)));
        again.push(await timed(() => verify(name, ask)));
      }
      const met = goal === undefined ? undefined : { text: `≤ ${goal} ms`, met: median(first) <= goal };
      results.row(`${what}, first`, `${median(first).toFixed(1)} ms`, met);
      results.row(`${what}, again`, `${(median(again) * 1_000).toFixed(0)} µs`, {
        text: "≤ 200 µs",
        met: median(again) <= 0.2,
      });
    }
    const trial = { registry, signers, verify, results };
    await tenImages(trial, rounds);
    await held(trial);
  } finally {
    await signatures.close();
    await registry.close();
  }
}

interface Trial {
  readonly registry: TestRegistry;
  readonly signers: Signers;
  readonly results: Bench["results"];
  verify(name: string, ask: Partial<SignatureQuestion>): Promise<void>;
}

async function tenImages({ registry, signers, verify, results }: Trial, rounds: number): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const names = Array.from({ length: 10 }, (_, index) => `ten${round}-${index}:v1`);
    for (const name of names) signImage(registry, name, { keys: signers.one });
    times.push(await timed(async () => void await Promise.all(names.map((name) => verify(name, {})))));
  }
  results.row("Ten images by key at once, first", `${median(times).toFixed(1)} ms`);
}

/** How long others wait meanwhile: the longest gap between the ticks of a clock. */
async function held({ registry, signers, verify, results }: Trial): Promise<void> {
  for (const [kind, { what, put, ask }] of kinds(registry, signers).entries()) {
    const names = Array.from({ length: 40 }, (_, index) => `held${kind}:v${index}`);
    for (const name of names) put(name);
    let longest = 0, last = performance.now();
    const ticks = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 1);
    for (const name of names) await verify(name, ask);
    clearInterval(ticks);
    results.row(`${what}: longest wait of others`, `${longest.toFixed(1)} ms`);
  }
}

async function timed(task: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

const noLog: LogTrust = {
  ignoreTlog: true,
  rekorUrl: "",
  rekorKey: "",
  ignoreSct: true,
  ctlogKey: "",
  tsaChain: "",
  trustedRoot: "",
  tufMirror: "",
};

function plain(image: string, { one }: Signers): SignatureQuestion {
  return {
    image,
    layout: "tag",
    want: "signature",
    by: { kind: "key", key: one.pem, hash: "sha256" },
    log: noLog,
    annotations: {},
    annotationsIn: "payload",
    repository: "",
    tagPrefix: "",
    credentials: {},
    useCache: true,
  };
}

function kinds(registry: TestRegistry, signers: Signers): readonly Kind[] {
  const { one, log, certificateLog } = signers;
  const by: Signer = {
    kind: "keyless",
    roots: signers.keylessRoot.pem,
    identities: [{
      subject: "dev@acme.test",
      issuer: "https://accounts.acme.test",
      subjectRegExp: "",
      issuerRegExp: "",
    }],
    compare: "wildcards",
    extensions: {},
  };
  const logged = { ignoreTlog: false, rekorKey: log.pem };
  return [
    { what: "By key", put: (name) => signImage(registry, name, { keys: one }), ask: {}, goal: 10 },
    {
      what: "Keyless, with log entry and certificate timestamp",
      put: (name) => signImage(registry, name, { ...signers.keyless(), log: { keys: log } }),
      ask: { by, log: { ...noLog, ...logged, ignoreSct: false, ctlogKey: certificateLog.pem } },
    },
    {
      what: "Attestation by key",
      put: (name) => {
        const digest = registry.image(name);
        const content = envelope({ digest, type: PROVENANCE, predicate: { builder: { id: "b" } } }, one);
        attest(registry, name, [{ content }]);
      },
      ask: { want: { attestations: PROVENANCE } },
    },
    {
      what: "Sigstore bundle by key, with log entry",
      put: (name) => bundleWithEntry(registry, registry.image(name), { keys: one, recorded: one.pem, log }),
      ask: { layout: "bundle", log: { ...noLog, ignoreTlog: false, trustedRoot: trustedRootOf(signers) } },
    },
  ];
}
