/** Takes the pictures of the playground for the documentation: `deno run --allow-all tests/site/screenshots.ts`. */
import { fileURLToPath } from "node:url";
import { withSite } from "./browser.ts";

const folder = fileURLToPath(new URL("../../docs/playground", import.meta.url));

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };

await Deno.mkdir(folder, { recursive: true });
await withSite(async ({ open }) => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [name, size] of Object.entries({ desktop, phone })) {
      const { page, context } = await open({ ...size, colorScheme });
      if (name === "phone") await page.locator(".phone-tabs").getByRole("button", { name: "Result" }).click();
      const session = await context.newCDPSession(page);
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 70 });
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      await Deno.writeFile(`${folder}/${name}-${colorScheme}.webp`, bytes);
      await context.close();
    }
  }
});
