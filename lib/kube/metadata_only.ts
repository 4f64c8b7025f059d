/**
 * The media type of an answer, or of the events of a watch, with objects' metadata alone, where the API server can leave the
 * rest out (Kubernetes API concepts: "Metadata-only fetches").
 */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
