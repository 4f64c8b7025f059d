import type { Sent } from "../../adapters/mod.ts";
import { asList, asString, field, type Json, parseJson, textField } from "../../json/mod.ts";
import { statusLine } from "../../kube/mod.ts";
import { RegistryFault } from "./registry_fault.ts";
import type { Content } from "./registry_reader.ts";

/** Parses a short JSON text; null when it is no JSON or takes too much memory. */
export function jsonOf(text: string): Json {
  return parseJson(text, mostHeap) ?? null;
}

/** Bytes of heap of a token, an error or a login. */
const mostHeap = 4_000_000;

/**
 * The failure when no scheme got an answer. Kyverno parity: the message has the failure of every scheme. Pinned by
 * "no connection".
 */
export function noAnswer(refusals: readonly RegistryFault[]): RegistryFault {
  const said = refusals.map(({ message }) => message).join("; ");
  return new RegistryFault(said === "" ? "no scheme" : said);
}

/** The content of an answer, or the failure in the words of go-containerregistry. */
export function contentOf(url: string, sent: Sent, authorization?: string): Content | RegistryFault {
  if (!sent.ok) {
    const reached = sent.reason === "redirect" || sent.reason === "too large";
    // Kyverno parity: Kyverno reads the registry's version first, so the message names that call. Pinned by "no
    // connection".
    const api = url.indexOf("/v2/");
    const where = reached || api < 0 ? url : url.slice(0, api + "/v2/".length);
    return new RegistryFault(`Get "${where}": ${inGosWords(url, sent.message)}`, { reached });
  }
  if (sent.status === 200) return sent;
  const errors = asList(field(jsonOf(sent.text), "errors")).map((each) => {
    const code = asString(field(each, "code")) ?? "UNKNOWN";
    return `${code}: ${textField(each, "message")}`;
  });
  const messages = errors.length > 0
    ? errors.join("; ")
    : sent.status === 401 && authorization === undefined
    ? "UNAUTHORIZED: authentication required"
    : `unexpected status code ${statusLine(sent.status)}: ${sent.text}`;
  return new RegistryFault(`GET ${url}: ${messages.trim().slice(0, 500)}`, { status: sent.status });
}

/**
 * The failure when a host to which a registry redirects wants a login: Postern has logins for registries alone, and
 * whoever controls a redirect would name a token server of its own.
 */
export function foreignChallenge(url: string, { host }: URL): RegistryFault {
  const message = `GET ${url}: UNAUTHORIZED: the registry redirects to ${host}, which wants a login`;
  return new RegistryFault(message, { status: 401 });
}

/** Writes the message of a refused connection as Go does, because administrators search for these words. */
function inGosWords(url: string, message: string): string {
  if (!/connection refused/i.test(message)) return message;
  const { host, protocol } = new URL(url);
  const port = /:\d+$/.test(host) ? "" : protocol === "https:" ? ":443" : ":80";
  return `dial tcp ${host}${port}: connect: connection refused`;
}
