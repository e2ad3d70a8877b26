#!/usr/bin/env bash
# Runs an experiment of sixty runs on a real Slurm of one node, which this script installs (on Debian) and starts: kills a
# task, warns another one, submits again, cancels, and compares all points with those of a run without Slurm, byte for byte.
# usage: tests/slurm.sh [BINARY]
set -euo pipefail

binary="$(realpath "${1:-target/release/weightlab}")"
skip() {
  echo "skipped: $1"
  exit 0
}
[ "$(id -u)" = 0 ] || skip "Slurm can be started by root only"
has_all() { for program in "$@"; do command -v "$program" >/dev/null || return 1; done; }
if ! has_all slurmctld slurmd munged sbatch; then
  command -v apt-get >/dev/null || skip "Slurm is not installed, and this is no Debian"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends munge slurmctld slurmd slurm-client; } \
    >/dev/null 2>&1 || skip "Slurm cannot be installed (no network?)"
fi

# A space, a quote and a dollar sign in every path of ours.
root="$(mktemp -d)"
work="$root/it's a \$lab"
mkdir -p "$work" "$root/state" "$root/spool" "$root/munge"
pids=()
cleanup() {
  # Not before Slurm is that of this script.
  [ "${SLURM_CONF:-}" != "$root/slurm.conf" ] || scancel --user=root >/dev/null 2>&1 || true
  disown -a # the shell need not tell how they end
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for _ in $(seq 50); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
  done
  rm -rf "$root"
}
trap cleanup EXIT
fail() {
  echo "FAILED: $1"
  squeue --array 2>/dev/null || true
  tail -n 20 "$root"/*.log "$work"/*.runs/cluster/logs/*.log 2>/dev/null || true
  exit 1
}
# until_true SECONDS WHAT COMMAND...: waits until a command succeeds.
until_true() {
  local most="$1" what="$2" began="$SECONDS"
  shift 2
  until "$@"; do
    [ $((SECONDS - began)) -lt "$most" ] || fail "$what did not happen within $most s"
    sleep 0.2
  done
}
note() { printf '%4s s  %s\n' "$SECONDS" "$1"; }

# Munge and Slurm of our own, with their files in our folder: another Slurm on this machine stays as it is.
chmod 755 "$root"
dd if=/dev/urandom of="$root/munge/key" bs=128 count=1 status=none
chmod 700 "$root/munge"
chmod 400 "$root/munge/key"
mkdir "$root/socket"
chmod 755 "$root/socket"
/usr/sbin/munged --foreground --force --num-threads=2 --key-file="$root/munge/key" --socket="$root/socket/munge" \
  --pid-file="$root/munge/pid" --log-file="$root/munge/log" --seed-file="$root/munge/seed" >"$root/munged.log" 2>&1 &
pids+=($!)
host="$(hostname -s)"
read -r port_control port_node < <(python3 - <<'PY' 2>/dev/null || echo "16817 16818"
import socket
s = [socket.socket() for _ in range(2)]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*[x.getsockname()[1] for x in s])
PY
)
cat >"$root/slurm.conf" <<CONF
ClusterName=weightlab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port_control
SlurmdPort=$port_node
AuthType=auth/munge
AuthInfo=socket=$root/socket/munge,cred_expire=5
CryptoType=crypto/munge
SlurmUser=root
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,batch_sched_delay=1
ReturnToService=2
MinJobAge=100000
KillWait=10
MaxArraySize=31
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
# Nodes with fewer processors than that are accepted too.
echo "SlurmdParameters=config_overrides" >>"$root/slurm.conf"
export SLURM_CONF="$root/slurm.conf"
until_true 20 "munge" test -S "$root/socket/munge"
slurmctld -D >"$root/slurmctld.log" 2>&1 &
pids+=($!)
slurmd -D >"$root/slurmd.log" 2>&1 &
pids+=($!)
is_idle() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }
for _ in $(seq 150); do
  is_idle && break
  kill -0 "${pids[1]}" 2>/dev/null || { tail -n 5 "$root/slurmctld.log"; fail "slurmctld ended"; }
  sleep 0.2
done
is_idle || fail "the node is not idle"
note "Slurm $(sinfo --version | cut -d' ' -f2) is up"

# Sixty runs: fifty-eight short ones, and two that are long enough to be hit.
cat >"$work/sixty runs.ron" <<'RON'
Experiment(data: Digits(limit_train: 200, limit_test: 100), net: Mlp(hidden: [16]), seeds: [1, 2], arms: [
    (name: "short", train: (optimizer: Sgd(rate: 0.1)), sweep: {"train.optimizer.rate": [
        0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.19, 0.2,
        0.21, 0.22, 0.23, 0.24, 0.25, 0.26, 0.27, 0.28, 0.29]}, plan: [Train("1ep"), Test]),
    (name: "long", train: (evaluate: "EPOCHSep", batch: 2), plan: [
        Repeat(times: 10, body: [Train("EPOCHSep"), Do(Prune(amount: Fraction(0.1)))])]),
])
RON
cd "$work"
weightlab() { "$binary" "$@"; }
file="sixty runs.ron"
# Long enough on any machine: as many epochs as about half a minute takes.
sed "s/EPOCHS/50/g" "$file" >"$root/short.ron"
began="$(date +%s%N)"
weightlab run "$root/short.ron" --arm long --seed 1 --jobs 1 --threads 1 >/dev/null 2>&1
sed -i "s/EPOCHS/$((50 * 30000 / (($(date +%s%N) - began) / 1000000)))/g" "$file"
folder="sixty runs.runs"
# A setting with what a shell could misread.
set_option=(--set "name=\"it's \$HOME \`id\`\"")
status() { weightlab status "$file" 2>&1; }
counted() { status | awk -v want="$1" '/^arm/ { for (i = 1; i <= NF; i++) head[i] = $i } /^all/ { for (i = 1; i <= NF; i++) if (head[i] == want) print $i }'; }
queued() { squeue -h --array -o %K --states="${1:-PENDING,RUNNING,COMPLETING,REQUEUED}" | grep -c . || true; }
has_queued() { [ "$(queued)" = "$1" ]; }
sbatch_calls() { find "$folder/cluster" -name 'submit-*.json' | grep -c . || true; }

# --dry-run writes and submits nothing, and the limit of the cluster is reported.
weightlab submit "$file" --shards 60 --dry-run >"$root/dry.sh" 2>"$root/dry.txt"
grep -q 'MaxArraySize of this cluster allows no index above 30' "$root/dry.txt" || fail "MaxArraySize: $(cat "$root/dry.txt")"
grep -q '^#SBATCH --array=1-30$' "$root/dry.sh" || fail "the array of the script: $(grep array "$root/dry.sh")"
[ ! -e "$folder" ] || fail "--dry-run wrote something"
has_queued 0 || fail "--dry-run submitted something"
# Many short runs are packed into a task.
weightlab submit "$file" --minutes 600 --dry-run 2>/dev/null | grep -q '^#SBATCH --array=1$' || fail "packing"
note "dry runs"

# Fifteen tasks of four runs. The long ones are runs 59 and 60: tasks 14 and 15.
weightlab submit "$file" "${set_option[@]}" --shards 15 --parallel 15 --time 60 2>"$root/submit.txt" || fail "$(cat "$root/submit.txt")"
both_long_runs() { # short ones have checkpoints too, for a moment
  local about count=0
  for about in "$folder"/*/run.json; do
    if grep -q '"arm": *"long"' "$about" && [ -d "${about%run.json}checkpoint" ]; then count=$((count + 1)); fi
  done 2>/dev/null
  [ "$count" = 2 ]
}
until_true 60 "both long runs" both_long_runs
[ "$(counted running)" -ge 2 ] || fail "status: $(status)"
status | grep -q '^Slurm: job [0-9]*: .* running' || fail "status: $(status)"
# Submitting again while tasks have the rest: nothing is handed out twice.
weightlab submit "$file" "${set_option[@]}" --shards 15 2>&1 | grep -q 'Nothing is missing' || fail "tasks in the queue were handed out again"
[ "$(sbatch_calls)" = 1 ] || fail "sbatch was called again"
until_true 90 "the short runs" sh -c '[ "$(find "$1" -name DONE | wc -l)" -ge 58 ]' sh "$folder"
has_queued 2 || fail "two tasks are left: $(squeue --array)"
job="$(squeue -h -o %F | head -n 1)"
note "58 runs are done, two go on"

# The warning before the time limit: the task saves, goes back to the queue, and its run goes on from there.
scancel --signal=USR1 --batch "${job}_14"
until_true 60 "the requeue" grep -q 'goes back to the queue' "$folder/cluster/logs/${job}_14.log"
# A killed task: it is not continued automatically.
victim="$(pgrep -f -- "--shard 15/15" | while read -r pid; do [ "$(readlink "/proc/$pid/exe")" = "$binary" ] && echo "$pid"; done)"
[ -n "$victim" ] || fail "the task to kill does not run"
kill -9 "$victim"
until_true 60 "the end of the killed task" sh -c '! squeue -h --array -o %K --states=RUNNING,COMPLETING,PENDING | grep -q "^15\$"'
[ "$(counted interrupted)" = 1 ] || fail "the killed run is not called interrupted: $(status)"
[ "$(counted done)" = 58 ] || fail "status: $(status)"
note "task 14 was warned and requeued, task 15 was killed"
weightlab submit "$file" "${set_option[@]}" --shards 15 >"$root/again.txt" 2>&1 || fail "$(cat "$root/again.txt")"
grep -q '^1 task of 15 for 1 run ' "$root/again.txt" || fail "what is missing: $(cat "$root/again.txt")"
grep -q '^#SBATCH --array=15$' "$folder/cluster/submit-2.sh" || fail "the array of the second script"

# Cancelling keeps what is done: the tasks that run save, and are not requeued.
until_true 60 "both tasks again" sh -c '[ "$(squeue -h --states=RUNNING --array -o %K | grep -c .)" = 2 ]'
until_true 60 "the runs of both tasks" sh -c '[ "$(find "$1" -name claim | wc -l)" = 2 ]' sh "$folder"
sleep 2
sbatch --wrap 'sleep 300' --job-name other --output /dev/null >/dev/null
weightlab cancel "$file" | grep -q '^Cancelled job' || fail "cancel"
until_true 60 "the cancelled tasks" has_queued 1
[ "$(squeue -h -o %j)" = other ] || fail "a job of somebody else was cancelled"
scancel --name other
[ "$(counted interrupted)" = 2 ] || fail "cancelled runs: $(status)"
for log in "$folder/cluster/logs/"*_1[45].log; do
  ! grep -q 'cannot be requeued' "$log" || fail "a cancelled task tried to be requeued"
done
note "both long runs were cancelled"

# Submitting again hands them out; --watch ends with the last one.
weightlab submit "$file" "${set_option[@]}" --shards 15 2>/dev/null
timeout 120 "$binary" status "$file" --watch >"$root/watch.txt" 2>&1 || fail "status --watch: $(cat "$root/watch.txt")"
[ "$(counted done)" = 60 ] || fail "not all runs are done: $(status)"
calls="$(sbatch_calls)"
weightlab submit "$file" "${set_option[@]}" --shards 15 2>&1 | grep -q '^Nothing is missing: 60 runs, all done$' || fail "something is missing"
[ "$(sbatch_calls)" = "$calls" ] && [ "$calls" = 3 ] || fail "sbatch was called $(sbatch_calls) times"
grep -q 'resumed":true' "$folder"/*/events.jsonl || fail "no run was resumed"
note "all runs are done"

# The same without Slurm: the points are equal, byte for byte. (Logs also have wall times, which differ.)
weightlab run "$file" "${set_option[@]}" --into "$root/local" >/dev/null 2>&1
weightlab export "$file" "${set_option[@]}" --into "$folder" --to "$root/cluster.csv" >/dev/null
weightlab export "$file" "${set_option[@]}" --into "$root/local" --to "$root/local.csv" >/dev/null
[ "$(tail -n +2 "$root/cluster.csv" | cut -d, -f1 | sort -u | wc -l)" = 60 ] || fail "the export has not all runs"
cmp "$root/cluster.csv" "$root/local.csv" || fail "points differ"
for weights in "$root/local"/*/weights.safetensors; do
  cmp "$weights" "$folder/$(basename "$(dirname "$weights")")/weights.safetensors" || fail "weights differ"
done
note "$(tail -n +2 "$root/local.csv" | wc -l) points and the weights of 60 runs are equal, byte for byte"
echo "passed"
