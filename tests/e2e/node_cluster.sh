# A cluster with one real node, and clients of it that never stop. Sourced by the scripts of tests/e2e that need one: node,
# node_live and node_packages. Where the node cannot be had, it says why and ends with 0. Beside the project it needs the
# scripts of ../shared/kube (KUBE), root, and binaries that node-build has built.
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
KUBE=$(cd "${KUBE:-../shared/kube}" 2>/dev/null && pwd) || KUBE=
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/kube-test
export PORT=${NODE_PORT:-31443}
RUN_FOLDER=$CACHE/run-$PORT

command -v deno >/dev/null || deno() { npx --yes deno@2.9.6 "$@"; }
skip() { echo "node tests skipped: $1"; exit 0; }
in_node() { timeout 150 "$KUBE/in-node" "$@"; }
kubectl() { in_node kubectl "$@"; }
step() { printf '%s  %s\n' "$(date +%T)" "$*"; }
detail() { sed "s/^ */          /; s/\(.\{420\}\).*/\1/"; }
fail() {
  step "FAILED: $*"
  kubectl -n postern get pods,events 2>/dev/null | tail -20 || true
  # Who leads, and how long the logs are in which that is looked up: the kubelet begins anew at 10 MB.
  kubectl -n postern get lease postern -o 'jsonpath={.spec}{"\n"}' 2>/dev/null || true
  for pod in $(kubectl -n postern get pods -o name 2>/dev/null); do echo "$pod: $(kubectl -n postern logs "$pod" 2>/dev/null | wc -c) bytes of log"; done
  exit 1
}
hundredths() { echo "$(($(date +%s%N) / 10000000))"; }
# seconds SINCE: time since `hundredths` said so.
seconds() { printf '%d.%02d' $((($(hundredths) - $1) / 100)) $((($(hundredths) - $1) % 100)); }
# within GOAL SINCE WHAT: says how long something took. More seconds than its goal are a failure, unless more processes want
# to run than there are processors.
within() {
  local took load; took=$(seconds "$2") load=$(cut -d' ' -f1 /proc/loadavg)
  step "$3 after $took s (goal: $1 s, load of this machine: $load)"
  [ "${took%.*}" -lt "$1" ] || [ "${load%.*}" -ge "$(nproc)" ] || fail "$3 after more than $1 s"
}
# until_true SECONDS COMMAND…: tries a command until it succeeds.
until_true() {
  local end=$(($(hundredths) + $1 * 100)); shift
  until "$@"; do [ "$(hundredths)" -lt "$end" ] || return 1; sleep 0.3; done
}

check_machine() {
  local name
  [ -n "$KUBE" ] && [ -x "$KUBE/node-start" ] || skip "no scripts for a node beside the project"
  [ "$(id -u)" = 0 ] || skip "not root"
  for name in kubelet kube-proxy kube-scheduler kubectl; do [ -x "$CACHE/bin/$name" ] || skip "no $name: run node-build first"; done
  for name in containerd runc buildah go unshare nsenter; do command -v $name >/dev/null || skip "no $name"; done
  [ -d /sys/fs/cgroup/memory ] || skip "no control groups of version 1"
  unshare --net --mount --pid --fork true 2>/dev/null || skip "no namespaces can be made"
}

# The image of this checkout, the client, and the node. IMAGE=built takes the image that is there; KEEP_NODE=1 leaves the node
# running.
start_node() {
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
  step "image (load of this machine: $(cut -d' ' -f1-3 /proc/loadavg))"
  if [ "${IMAGE:-}" != built ]; then
    "$KUBE/image" . > "$WORK/image.log" 2>&1 || { tail -5 "$WORK/image.log"; skip "the image cannot be built here"; }
    grep 'compressed,' "$WORK/image.log" | detail
  fi
  go build -o "$WORK/creates" "$KUBE/creates.go"
  # A node that runs is another one's.
  ! "$KUBE/in-node" true 2>/dev/null || skip "a node runs already"
  trap '[ "${KEEP_NODE:-0}" = 1 ] || "$KUBE/node-stop" >/dev/null 2>&1 || true; rm -rf "$WORK"' EXIT
  started() { "$KUBE/node-start" > "$WORK/start.log" 2>&1; }
  # On a busy machine a start may miss its own namespaces.
  started || started || started || started || { tail -3 "$WORK/start.log"; skip "the node did not start"; }
  step "node"
}

# client NAME ARGUMENT…: creates pods in the background; `joined NAME` waits, prints its figures, and fails for a wrong answer.
client() {
  local name=$1; shift
  timeout "${PATIENCE:-200}" "$KUBE/in-node" "$WORK/creates" -ns default "$@" > "$WORK/$name" 2>&1 &
  echo $! > "$WORK/$name.pid"
}
joined() {
  local code=0; wait "$(cat "$WORK/$1.pid")" || code=$?
  detail < "$WORK/$1"
  [ "$code" = 0 ] || fail "the client of $1 was answered wrongly"
}

# replicas [UID]: the processes of Postern, of all pods or of the one with a uid, as this machine counts them.
replicas() {
  local group pid
  # shellcheck disable=SC2086
  for group in /sys/fs/cgroup/memory/kube-test-$PORT/kubepods/*/pod${1:-*}/*/; do
    for pid in $(cat "$group/cgroup.procs" 2>/dev/null); do
      ! tr '\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null | grep -q '^/bin/deno' || echo "$pid"
    done
  done
}
# The working set of each replica, as the kubelet counts it.
memory() {
  local pid group
  for pid in $(replicas); do
    group=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' "/proc/$pid/cgroup")
    awk -v use="$(cat "$group/memory.usage_in_bytes")" '/^total_inactive_file /{idle=$2} END{printf "          working set of a replica: %d MiB\n", (use-idle)/1048576}' "$group/memory.stat"
  done
}

rolled_out() { kubectl -n postern rollout status deployment/postern --timeout=100s >/dev/null || fail "not rolled out: $1"; }
manifests() { deno run --allow-read --allow-env --allow-write --no-prompt main.ts manifests "$@" 2>/dev/null; }

# Every object of every kind, but for events, which end by themselves, and the kubelet's Lease, which comes a while after it.
inventory() {
  local kinds
  kinds=$(kubectl api-resources --verbs=list -o name | grep -vE '^(events|events\.events\.k8s\.io|componentstatuses)$' | sort | paste -sd,)
  kubectl get "$kinds" -A -o 'jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\n"}{end}' 2>/dev/null |
    grep -v '^Lease kube-node-lease/' | sort
}
