/**
 * The kinds that Kubernetes 1.34 serves. The stable and newest version of each group comes first. Below an apiVersion,
 * each kind has one line with its plural, scope and subresources. `tests/generators/builtin_kinds.ts` writes this file.
 */
export const builtinKindLines = `
autoscaling/v2
  HorizontalPodAutoscaler horizontalpodautoscalers namespaced status
v1
  Binding bindings namespaced
  ComponentStatus componentstatuses cluster
  ConfigMap configmaps namespaced
  Endpoints endpoints namespaced
  Event events namespaced
  LimitRange limitranges namespaced
  Namespace namespaces cluster finalize status
  Node nodes cluster proxy status
  PersistentVolumeClaim persistentvolumeclaims namespaced status
  PersistentVolume persistentvolumes cluster status
  Pod pods namespaced attach binding ephemeralcontainers eviction exec log portforward proxy resize status
  PodTemplate podtemplates namespaced
  ReplicationController replicationcontrollers namespaced scale status
  ResourceQuota resourcequotas namespaced status
  Secret secrets namespaced
  ServiceAccount serviceaccounts namespaced token
  Service services namespaced proxy status
admissionregistration.k8s.io/v1
  MutatingWebhookConfiguration mutatingwebhookconfigurations cluster
  ValidatingAdmissionPolicy validatingadmissionpolicies cluster status
  ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster
  ValidatingWebhookConfiguration validatingwebhookconfigurations cluster
apiextensions.k8s.io/v1
  CustomResourceDefinition customresourcedefinitions cluster status
apiregistration.k8s.io/v1
  APIService apiservices cluster status
apps/v1
  ControllerRevision controllerrevisions namespaced
  DaemonSet daemonsets namespaced status
  Deployment deployments namespaced scale status
  ReplicaSet replicasets namespaced scale status
  StatefulSet statefulsets namespaced scale status
authentication.k8s.io/v1
  SelfSubjectReview selfsubjectreviews cluster
  TokenReview tokenreviews cluster
authorization.k8s.io/v1
  LocalSubjectAccessReview localsubjectaccessreviews namespaced
  SelfSubjectAccessReview selfsubjectaccessreviews cluster
  SelfSubjectRulesReview selfsubjectrulesreviews cluster
  SubjectAccessReview subjectaccessreviews cluster
autoscaling/v1
  HorizontalPodAutoscaler horizontalpodautoscalers namespaced status
batch/v1
  CronJob cronjobs namespaced status
  Job jobs namespaced status
certificates.k8s.io/v1
  CertificateSigningRequest certificatesigningrequests cluster approval status
coordination.k8s.io/v1
  Lease leases namespaced
discovery.k8s.io/v1
  EndpointSlice endpointslices namespaced
events.k8s.io/v1
  Event events namespaced
flowcontrol.apiserver.k8s.io/v1
  FlowSchema flowschemas cluster status
  PriorityLevelConfiguration prioritylevelconfigurations cluster status
networking.k8s.io/v1
  IngressClass ingressclasses cluster
  Ingress ingresses namespaced status
  IPAddress ipaddresses cluster
  NetworkPolicy networkpolicies namespaced
  ServiceCIDR servicecidrs cluster status
node.k8s.io/v1
  RuntimeClass runtimeclasses cluster
policy/v1
  PodDisruptionBudget poddisruptionbudgets namespaced status
rbac.authorization.k8s.io/v1
  ClusterRoleBinding clusterrolebindings cluster
  ClusterRole clusterroles cluster
  RoleBinding rolebindings namespaced
  Role roles namespaced
resource.k8s.io/v1
  DeviceClass deviceclasses cluster
  ResourceClaim resourceclaims namespaced status
  ResourceClaimTemplate resourceclaimtemplates namespaced
  ResourceSlice resourceslices cluster
scheduling.k8s.io/v1
  PriorityClass priorityclasses cluster
storage.k8s.io/v1
  CSIDriver csidrivers cluster
  CSINode csinodes cluster
  CSIStorageCapacity csistoragecapacities namespaced
  StorageClass storageclasses cluster
  VolumeAttachment volumeattachments cluster status
  VolumeAttributesClass volumeattributesclasses cluster
admissionregistration.k8s.io/v1beta1
  MutatingAdmissionPolicy mutatingadmissionpolicies cluster
  MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster
certificates.k8s.io/v1beta1
  ClusterTrustBundle clustertrustbundles cluster
coordination.k8s.io/v1beta1
  LeaseCandidate leasecandidates namespaced
networking.k8s.io/v1beta1
  IPAddress ipaddresses cluster
  ServiceCIDR servicecidrs cluster status
resource.k8s.io/v1beta1
  DeviceClass deviceclasses cluster
  ResourceClaim resourceclaims namespaced status
  ResourceClaimTemplate resourceclaimtemplates namespaced
  ResourceSlice resourceslices cluster
resource.k8s.io/v1beta2
  DeviceClass deviceclasses cluster
  ResourceClaim resourceclaims namespaced status
  ResourceClaimTemplate resourceclaimtemplates namespaced
  ResourceSlice resourceslices cluster
storage.k8s.io/v1beta1
  VolumeAttributesClass volumeattributesclasses cluster
admissionregistration.k8s.io/v1alpha1
  MutatingAdmissionPolicy mutatingadmissionpolicies cluster
  MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster
certificates.k8s.io/v1alpha1
  ClusterTrustBundle clustertrustbundles cluster
  PodCertificateRequest podcertificaterequests namespaced status
coordination.k8s.io/v1alpha2
  LeaseCandidate leasecandidates namespaced
internal.apiserver.k8s.io/v1alpha1
  StorageVersion storageversions cluster status
resource.k8s.io/v1alpha3
  DeviceTaintRule devicetaintrules cluster
storage.k8s.io/v1alpha1
  VolumeAttributesClass volumeattributesclasses cluster
storagemigration.k8s.io/v1alpha1
  StorageVersionMigration storageversionmigrations cluster status
`;
