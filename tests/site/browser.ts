/** A headless Chromium and the built site, for tests of what people see. */
import { fileURLToPath } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { serveFolder } from "../../site/serve.ts";
import { isKept } from "./in_page.ts";

const dist = fileURLToPath(new URL("../../site/dist", import.meta.url));

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The playground in a browser. */
export interface OpenSite {
  readonly url: string;
  readonly browser: Browser;
  /** Opens the playground in a context of its own, and waits for the first result. */
  open(options?: OpenOptions): Promise<OpenPage>;
}

/** How the playground is opened. */
export interface OpenOptions extends BrowserContextOptions {
  /** The fragment of the address: `#e=…`. */
  readonly fragment?: string;
}

/** A page that shows the playground. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of all requests that the page and its workers made, but for those to its own server. */
  readonly elsewhere: readonly string[];
  /** Errors that nothing caught, and what the console calls errors. */
  readonly errors: readonly string[];
}

/** Serves the built site and starts the browser for as long as a test runs. */
export async function withSite(test: (site: OpenSite) => Promise<void>): Promise<void> {
  const profile = await Deno.makeTempDir({ prefix: "postern-site-" });
  const server = serveFolder(dist, 0);
  const browser = await chromium.launch({
    executablePath: Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium",
    headless: true,
    args: flags,
    env: { HOME: profile, PATH: Deno.env.get("PATH") ?? "" },
  });
  try {
    await test({
      url: server.url,
      browser,
      open: async ({ fragment = "", ...options } = {}) => {
        const context = await browser.newContext(options);
        const elsewhere: string[] = [], errors: string[] = [];
        context.on("request", (request) => {
          const url = request.url();
          if (!url.startsWith(server.url) && !/^(blob|data):/.test(url)) elsewhere.push(url);
        });
        const page = await context.newPage();
        page.on("pageerror", (error) => errors.push(error.message));
        page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
        await page.goto(`${server.url}/playground/${fragment}`);
        await finished(page);
        return { page, context, elsewhere, errors };
      },
    });
  } finally {
    await browser.close();
    await server.shutdown();
    await Deno.remove(profile, { recursive: true });
  }
}

/** Waits until the page shows the result of its texts. */
export async function finished(page: Page): Promise<void> {
  await page.waitForSelector("html[data-state=done]", { timeout: 60_000 });
}

/**
 * Writes a text into an editor, as people do: all at once from the clipboard. Then waits until the page shows the
 * result of all texts with this one. The page keeps a text for the next visit when it takes it in, and is not done from
 * then on.
 */
export async function write(page: Page, { name, text }: WrittenText): Promise<void> {
  const label = `${name[0]!.toUpperCase()}${name.slice(1)}, YAML`;
  await page.getByRole("textbox", { name: label }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await page.waitForFunction(isKept, { name, text }, { timeout: 60_000 });
  await finished(page);
}

/** A text of the playground. */
export interface WrittenText {
  /** As the page keeps it: `policies`. */
  readonly name: "policies" | "resources";
  readonly text: string;
}
