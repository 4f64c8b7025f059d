/**
 * Every entry of the package opens with an example that `deno test --doc` runs, and imports itself by its public name.
 */
import assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };

for (const [entry, path] of Object.entries(config.exports)) {
  const name = `${config.name}${entry.slice(1)}`;
  Deno.test(`${name} opens with an example that imports it`, async () => {
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    const [opening = ""] = /^\/\*\*[^]*?\*\//.exec(text) ?? [];
    assert.match(opening, /@module/);
    assert(/```ts\n[^]*?```/.exec(opening)?.[0].includes(`from "${name}"`), opening);
    assert.equal(typeof await import(name), "object");
  });
}
