import { type Page, sections } from "./page.ts";

/** VitePress's configuration: the side bar has the pages of each section in their order. */
export function configuration(pages: readonly Page[]): string {
  const sidebar = sections.map((section) => ({
    text: section,
    collapsed: section === "Policies by example",
    items: pages.filter((page) => page.section === section).map(({ title, path }) => ({
      text: title,
      link: `/${path.replace(/\.md$/, "")}`,
    })),
  })).filter(({ items }) => items.length > 0);
  const settings = {
    title: "Postern",
    description: "A small gate for a Kubernetes cluster: Kyverno's policies, one process",
    lang: "en",
    cleanUrls: false,
    // Parts of the site that other builds make.
    ignoreDeadLinks: ["/playground/", "/api/"],
    markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
    themeConfig: {
      search: { provider: "local" },
      outline: [2, 3],
      sidebar,
      nav: [
        { text: "Guide", link: "/getting-started" },
        { text: "Reference", link: "/support" },
        { text: "Library", link: "/api/", target: "_self" },
        { text: "Playground", link: "/playground/", target: "_self" },
      ],
    },
  };
  return `export default ${JSON.stringify(settings, null, 2)};\n`;
}

/** VitePress's own theme in the colours of the playground. */
export const theme = `import theme from "vitepress/theme";
import "./colours.css";

export default theme;
`;

/** Light and dark; texts have a contrast of 4.5 to 1 with what is behind them. */
export const colours = `:root {
  --vp-c-brand-1: #17624a;
  --vp-c-brand-2: #1b7256;
  --vp-c-brand-3: #17624a;
  --vp-c-brand-soft: rgba(27, 114, 86, 0.14);
  --vp-button-brand-hover-bg: #1b7256;
  --vp-code-lang-color: var(--vp-c-text-2);
}
.dark {
  --vp-c-brand-1: #74cfae;
  --vp-c-brand-2: #8fdbbf;
  --vp-c-brand-3: #1b7256;
  --vp-c-brand-soft: rgba(116, 207, 174, 0.16);
}
`;
