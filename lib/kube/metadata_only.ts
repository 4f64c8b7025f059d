/**
 * The `Accept` header for answers and watch events that contain only the metadata of objects. An API server that cannot
 * leave the rest out sends whole objects (Kubernetes API concepts: "Metadata-only fetches").
 */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
