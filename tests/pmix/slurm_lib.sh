# SPDX-License-Identifier: LGPL-2.1-or-later
# A Slurm of its own for a test; sourced.

# slurm_configure DIR HOST=ADDRESS...: writes the configuration into DIR; the first host has the controller
slurm_configure() {
    local dir=$1 host
    shift
    export SLURM_CONF=$dir/slurm.conf
    mkdir -p "$dir/state"
    cat >"$SLURM_CONF" <<CONF
ClusterName=hlrc
SlurmctldHost=${1%%=*}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
MessageTimeout=60
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
TmpFS=$dir/tmp-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
CONF
    for host in "$@"; do
        mkdir -p "$dir/spool-${host%%=*}" "$dir/tmp-${host%%=*}"
        echo "NodeName=${host%%=*} NodeAddr=${host#*=} CPUs=4" >>"$SLURM_CONF"
    done
    echo 'PartitionName=all Nodes=ALL Default=YES State=UP' >>"$SLURM_CONF"
    # not used, but version 2 would want to make groups before any is
    echo CgroupPlugin=cgroup/v1 >"$dir/cgroup.conf"
}

slurm_idle() { # COUNT: so many hosts are ready
    test "$(sinfo -h -N -o %T 2>/dev/null | grep -c idle)" -eq "$1"
}
