/**
 * Implements the ports about images: `Registry` reads image registries, `Signatures` verifies what was signed. Few
 * policies need it, so a server loads it when a policy first does.
 *
 * @module
 */
export { ImageRegistry, type ImageRegistryOptions } from "./registry/image_registry.ts";
export { type AddressRule, registryAddresses } from "./registry/addresses.ts";
export { ImageRecorder, type ImageSource, RecordedImages } from "./registry/recording.ts";
export { dockerLogins } from "./registry/docker_config.ts";
export { pullSecretLogins } from "./registry/pull_secrets.ts";
export type { Login, RegistryLogins } from "./registry/token.ts";
export {
  bundledTrustedRoot,
  fetchTrustedRoot,
  ImageSignatures,
  type ImageSignaturesOptions,
  readTrustedRoot,
  type TrustedRootText,
  unusableSigner,
} from "./signatures/mod.ts";
