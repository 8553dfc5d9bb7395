#!/bin/bash
# A sweep as an array of Slurm: every task does its share of the runs into the same folder.
#   sbatch slurm_array.sh study.toml
# A task that is requeued (--requeue: after preemption, a failed node, scontrol requeue) goes on with what is missing.
# Numbers of tasks begin with 0 and have no gaps. To do what failed tasks left, submit the whole array again: shares
# that are complete end at once.
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --cpus-per-task=1
#SBATCH --open-mode=append

code=0
saltus sweep start "$1" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}" ||
  code=$?
# 137: killed, as for want of memory. Slurm takes that for a failure of the program and would not try again.
if ((code == 137 && ${SLURM_RESTART_COUNT:-0} < 3)); then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
