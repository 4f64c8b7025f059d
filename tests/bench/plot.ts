/** Throughput over connections as SVG. */
import type { Line } from "./results.ts";

const width = 800, height = 440, left = 70, right = 300, top = 30, bottom = 50;
const colours = ["#1b6ac9", "#c9361b", "#2a8f3c", "#8d3fb8", "#c98a1b", "#1ba7a7", "#b81b74"];

/** A line for each scenario, with a logarithmic scale: a tenth of the rate is as far below everywhere. */
export function plot(lines: readonly Line[]): string {
  const rates = lines.flatMap(({ points }) => points.map(({ rate }) => rate));
  const lowest = Math.floor(Math.log10(Math.min(...rates))),
    highest = Math.ceil(Math.log10(Math.max(...rates)));
  const steps = lines[0]!.points.map(({ connections }) => connections);
  const x = (connections: number): number =>
    left + steps.indexOf(connections) * (width - left - right) / Math.max(1, steps.length - 1);
  const y = (rate: number): number =>
    height - bottom - (Math.log10(rate) - lowest) / (highest - lowest) * (height - top - bottom);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
  ];
  for (let power = lowest; power <= highest; power++) {
    const at = y(10 ** power).toFixed(1);
    parts.push(
      `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#dddddd"/>`,
      `<text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${10 ** power}</text>`,
    );
  }
  for (const connections of steps) {
    parts.push(
      `<text x="${x(connections)}" y="${height - bottom + 20}" text-anchor="middle">${connections}</text>`,
    );
  }
  const middle = (left + width - right) / 2;
  parts.push(
    `<text x="${middle}" y="${height - 12}" text-anchor="middle">connections</text>`,
    `<text x="${left}" y="${top - 12}">requests in a second</text>`,
  );
  let colour = 0;
  for (const [index, { title, kind, points }] of lines.entries()) {
    const stroke = kind === "measured"
      ? colours[colour++ % colours.length]!
      : kind === "floor"
      ? "#999999"
      : "#000000";
    const style = `fill="none" stroke="${stroke}" stroke-width="2"${
      kind === "measured"
        ? ""
        : ` stroke-dasharray="${kind === "floor" ? index === 0 ? "2 3" : "6 3" : "9 4"}"`
    }`;
    const path = points.map(({ connections, rate }) => `${x(connections).toFixed(1)},${y(rate).toFixed(1)}`);
    const at = top + 6 + index * 22;
    parts.push(
      `<polyline points="${path.join(" ")}" ${style}/>`,
      `<line x1="${width - right + 14}" x2="${width - right + 38}" y1="${at - 4}" y2="${at - 4}" ${style}/>`,
      `<text x="${width - right + 46}" y="${at}">${escapeText(title)}</text>`,
    );
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

function escapeText(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
