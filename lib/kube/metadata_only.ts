/**
 * The `Accept` header for answers and watch events that contain only the metadata of objects. An API server that cannot
 * leave the rest out sends whole objects (Kubernetes API concepts: "Metadata-only fetches").
 */
export const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/** As {@link metadataOnly}, for lists: the API server refuses a list as the metadata of one object, with status 406. */
export const listOfMetadata =
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
