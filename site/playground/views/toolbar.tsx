/** The bar above everything: tools, examples, sharing, saving, appearance. */
import type { JSX } from "preact";
import { type Appearance, appearance } from "../state/appearance.ts";
import { downloadFolder } from "../state/download.ts";
import type { Engine } from "../state/engine.ts";
import { fragmentOf } from "../state/share.ts";
import {
  announcement,
  dialect,
  type DialectName,
  exampleTitle,
  playgroundState,
  tool,
  type ToolName,
} from "../state/store.ts";
import { isChoosing } from "./examples_dialog.tsx";

const tools: readonly { readonly name: ToolName; readonly title: string }[] = [
  { name: "policies", title: "Policies" },
  { name: "jmespath", title: "JMESPath" },
  { name: "cel", title: "CEL" },
];

/** The bar. */
export function Toolbar({ engine }: { readonly engine: Engine }): JSX.Element {
  const isAboutPolicies = tool.value === "policies";
  return (
    <header class="bar">
      <h1>
        <a href="../" class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M4 30V14a12 12 0 0 1 24 0v16h-6V14.500a6 6 0 0 0-12 0V30z" />
            <path d="M14.800 30V17.500a1.200 1.200 0 0 1 2.400 0V30z" />
          </svg>
          Postern <span>playground</span>
        </a>
      </h1>
      <nav class="tools" aria-label="Tools">
        {tools.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            aria-current={tool.value === name ? "page" : undefined}
            onClick={() => tool.value = name}
          >
            {title}
          </button>
        ))}
      </nav>
      <div class="bar-end">
        {isAboutPolicies && (
          <>
            <button type="button" class="button button-main" onClick={() => isChoosing.value = true}>
              Examples
            </button>
            {exampleTitle.value !== undefined && <span class="example-title">{exampleTitle.value}</span>}
            <button type="button" class="button" onClick={() => void share()}>Share</button>
            <button type="button" class="button" onClick={() => void download(engine)}>Download test</button>
            <label class="choice">
              <span>Dialect</span>
              <select
                value={dialect.value}
                onChange={({ currentTarget }) => dialect.value = currentTarget.value as DialectName}
              >
                <option value="classic">classic</option>
                <option value="current">current</option>
              </select>
            </label>
          </>
        )}
        <label class="choice">
          <span>Theme</span>
          <select
            value={appearance.value}
            onChange={({ currentTarget }) => appearance.value = currentTarget.value as Appearance}
          >
            <option value="system">system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      </div>
    </header>
  );
}

/** Puts the state into the address, and the address into the clipboard. */
async function share(): Promise<void> {
  history.replaceState(null, "", await fragmentOf(playgroundState.value));
  try {
    await navigator.clipboard.writeText(location.href);
    announcement.value = "The link is copied. It holds everything that you see; nothing was sent anywhere.";
  } catch {
    announcement.value = "The link is in the address bar: copy it from there.";
  }
}

async function download(engine: Engine): Promise<void> {
  const files = await engine.testFolder();
  await downloadFolder("kyverno-test", files);
  announcement.value = `A test with ${Object.keys(files).length} files is saved: run it with postern test`;
}
