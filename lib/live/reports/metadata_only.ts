/** The media type of an answer with an object's metadata alone, where the API server can leave the rest out. */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
