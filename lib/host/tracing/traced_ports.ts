import type { Ports } from "../../ports.ts";
import { apiQuery } from "../api_query.ts";

/** Makes a span of a call, with its name and target. The answer may say that the call failed. */
export type TraceCall = <A extends { readonly ok: boolean }>(
  call: { readonly name: string; readonly attributes: Readonly<Record<string, string>> },
  run: () => Promise<A>,
) => Promise<A>;

/** Ports whose calls to the API server, services and registries each have a span. */
export function tracedPorts(ports: Ports, trace: TraceCall): Ports {
  const { cluster, http, registry, signatures } = ports;
  const registryCall = <A extends { readonly ok: boolean }>(
    name: string,
    image: string,
    run: () => Promise<A>,
  ) => trace({ name: `registry ${name}`, attributes: { "container.image.name": image } }, run);
  return {
    ...ports,
    cluster: {
      resource: (apiVersion, kind) => cluster.resource(apiVersion, kind),
      call(call) {
        const { operation, resource } = apiQuery(call.method, call.path);
        const attributes = { "http.request.method": call.method, "url.path": call.path.split("?")[0]! };
        return trace(
          { name: `api ${operation} ${resource}`.trimEnd(), attributes },
          () => cluster.call(call),
        );
      },
    },
    http: {
      call(call) {
        // Path and query are left out, because they may hold text of a resource's author.
        const { host } = URL.canParse(call.url) ? new URL(call.url) : { host: "" };
        const attributes = { "http.request.method": call.method, "server.address": host };
        return trace({ name: `service ${call.method}`, attributes }, () => http.call(call));
      },
    },
    registry: {
      image: (reference, ...rest) =>
        registryCall("image", reference, () => registry.image(reference, ...rest)),
    },
    ...(signatures !== undefined && {
      signatures: {
        verify: (query, ...rest) =>
          registryCall("verify", query.image, () => signatures.verify(query, ...rest)),
        verifyText: (query, ...rest) => signatures.verifyText(query, ...rest),
        digest: (image, ...rest) => registryCall("digest", image, () => signatures.digest(image, ...rest)),
        referrer: (query, ...rest) =>
          registryCall("referrer", query.image, () => signatures.referrer(query, ...rest)),
      },
    }),
  };
}
