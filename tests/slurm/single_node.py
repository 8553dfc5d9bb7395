#!/usr/bin/python3
"""A cluster of Slurm on this machine alone, in a folder of its own, for as long as something needs it.

  single_node.py COMMAND...   runs the command with the cluster (SLURM_CONF); as root

munged, slurmctld and slurmd are started with a key, ports and a configuration of their own and write nowhere else.
Nothing of them is left at the end. Where they cannot be started the reason is said, and the exit status is 77.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
# More than most machines of tests have, so that tasks run at the same time everywhere.
CPUS = 4

CONFIGURATION = """ClusterName=saltus
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port_of_controller}
SlurmdPort={port_of_node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_interval=1
SlurmdParameters=config_overrides
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class CannotStart(Exception):
    pass


def ends_with_its_parent() -> None:
    """In the child: nothing stays behind, even if this process is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class SingleNode:
    """with SingleNode() as cluster: cluster.call("sbatch", ...)"""

    def __init__(self, patience: float = 40.0):
        self.patience = patience  # seconds
        self.daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "SingleNode":
        if os.geteuid() != 0:
            raise CannotStart("Slurm's daemons are started as root only")
        missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
        if missing:
            raise CannotStart(f"{', '.join(missing)} not found (Debian: slurm-wlm, munge)")
        # Paths of sockets are short.
        self.folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def start(self) -> None:
        self.folder.chmod(0o755)
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        self.host = socket.gethostname().split(".")[0]
        controller, node = free_ports(2)
        self.configuration = self.folder / "slurm.conf"
        self.configuration.write_text(CONFIGURATION.format(
            host=self.host, folder=self.folder, cpus=CPUS, port_of_controller=controller, port_of_node=node))
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                    f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                    f"--seed-file={self.folder}/munged.seed")
        self.wait("munged", lambda: (self.folder / "munge.socket").exists())
        self.daemon("slurmctld", "-D")
        self.start_node()

    def start_node(self) -> None:
        self.daemon("slurmd", "-D")
        self.wait("slurmd", self.is_idle)

    def is_idle(self) -> bool:
        try:
            return self.call("sinfo", "-h", "-o", "%T", check=False, timeout=5).strip() == "idle"
        except subprocess.TimeoutExpired:
            return False

    def daemon(self, name: str, *arguments: str) -> None:
        with open(self.folder / f"{name}.out", "a") as out:
            self.daemons[name] = subprocess.Popen([name, *arguments], stdin=subprocess.DEVNULL, stdout=out,
                                                  stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder,
                                                  preexec_fn=ends_with_its_parent)

    def wait(self, name: str, is_ready) -> None:
        deadline = time.monotonic() + self.patience
        while not is_ready():
            ended = [other for other, daemon in self.daemons.items() if daemon.poll() is not None]
            if ended or time.monotonic() > deadline:
                who = ended[0] if ended else name
                raise CannotStart(f"{who} {'ended' if ended else 'is not ready'}: {self.last_words(who)}")
            time.sleep(0.1)

    def last_words(self, name: str) -> str:
        said = (self.folder / f"{name}.out").read_text(errors="replace").splitlines()
        errors = [line for line in said if "error" in line.lower() or "fatal" in line.lower()]
        return (errors or said or ["it said nothing"])[-1]

    def call(self, *command: str, check: bool = True, timeout: float = 60.0, **keywords) -> str:
        done = subprocess.run(command, env=self.environment, text=True, capture_output=True, timeout=timeout, **keywords)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout

    def processes(self, **wanted: str) -> dict[int, str]:
        """Number and name of those that work for this cluster and have these variables in their environment."""
        found = {}
        wanted = {**wanted, "SLURM_CONF": str(self.configuration)}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                has = (entry / "environ").read_bytes().split(b"\0")
                if all(f"{name}={value}".encode() in has for name, value in wanted.items()):
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:  # it has just ended
                pass
        found.pop(os.getpid(), None)
        return found

    def fail_node(self) -> set[int]:
        """What a node that loses power does: all its processes are gone at once. The controller is told, as it would find
        out by itself after minutes, and the node comes back. Returns the processes that were killed."""
        of_controller = ("munged", "slurmctld", "slurmscriptd")
        killed = {pid for pid, name in self.processes().items() if name not in of_controller and kill(pid)}
        self.daemons["slurmd"].wait()
        self.call("scontrol", "update", f"NodeName={self.host}", "State=DOWN", "Reason=failed")
        self.start_node()
        return killed

    def stop(self) -> None:
        for name in ("slurmctld", "slurmd", "munged"):
            if name in self.daemons:
                self.daemons[name].terminate()
                try:
                    self.daemons[name].wait(timeout=10)
                except subprocess.TimeoutExpired:
                    self.daemons[name].kill()
                    self.daemons[name].wait()
        if hasattr(self, "configuration"):
            for pid in self.processes():
                kill(pid)
        shutil.rmtree(self.folder, ignore_errors=True)


def kill(pid: int) -> bool:
    """False: it had ended already."""
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def main() -> int:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 64
    # Ctrl-C and TERM end it as everything else does: by stop().
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with SingleNode() as cluster:
            return subprocess.run(sys.argv[1:], env=cluster.environment).returncode
    except CannotStart as reason:
        print(f"skipped: {reason}")
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
