
# Slurm grants the processors; the runs of the task that are left share them.
shard=$SLURM_ARRAY_TASK_ID
cpus=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}
echo "Task $shard of $shards (job ${SLURM_ARRAY_JOB_ID}_$shard) on $(uname -n), $(date)"

# USR1 is the warning before the time limit, TERM a cancelled job. Weightlab saves on TERM and ends with 130.
child='' asked='' warned='' cancelled='' interrupted=''
ask() {
  asked=yes interrupted=yes
  [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}
trap 'warned=yes; ask' USR1
trap 'cancelled=yes; ask' TERM INT

# Runs a command to its end. A signal interrupts wait, not the command.
attend() {
  status=127
  "$@" &
  child=$!
  [ -z "$asked" ] || kill -TERM "$child" 2>/dev/null
  interrupted=yes
  while [ -n "$interrupted" ]; do
    interrupted=''
    wait "$child"
    code=$?
    [ "$code" -eq 127 ] || status=$code
  done
  child=''
}
work() {
  attend "$program" run "$experiment" --shard "$shard/$shards" --into "$results" --cpus "$cpus" "$@"
}

work "$@"
if [ "$status" -eq 3 ] && [ -z "$asked" ]; then
  # The claim of a node that died looks alive for two minutes.
  echo "Trying again in 130 seconds, in case these processes are dead"
  attend sleep 130
  [ -n "$asked" ] || work "$@"
fi
case $status in
1 | 130 | 143) # with 1, a run has failed; a warned task has more runs to do all the same
  if [ -n "$warned" ] && [ -z "$cancelled" ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 1000 ]; then
    echo "Saved before the time limit; the task goes back to the queue"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard" && exit 0
    echo "It cannot be requeued; weightlab submit hands out what is missing"
  fi
  ;;
3) status=0 ;; # other processes have the rest
esac
exit "$status"
