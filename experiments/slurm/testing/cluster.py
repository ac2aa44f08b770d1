#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cluster.py COMMAND…: runs a command in a Slurm cluster of one controller and two nodes, n1 and n2, on this machine.

Everything lies in namespaces of its own: processes, the network (so that no port is taken), the host's name, and /run
and /dev/shm, where all files are. When this program ends, however it does, nothing is left. It needs root, and Debian's
slurm-wlm and munge. Exit codes: that of the command; 77 skipped, with the reason."""
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

NODES = ("n1", "n2")
TOOLS = ("slurmctld", "slurmd", "munged", "srun", "sbatch", "scontrol", "unshare", "mount")
# The shell is a namespace's first process, which has to wait for what others leave.
ISOLATED = ("unshare", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")
IN_SHELL = ("sh", "-c", '"$@"; exit $?', "sh")
INSIDE = "QB_IN_SLURM_CLUSTER"
RUN = Path("/run")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost=host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
# A job that is requeued starts again when its first credential has expired.
AuthInfo=socket=/run/munge.socket,cred_expire=5
StateSaveLocation=/run/state
SlurmdSpoolDir=/run/%n/spool
TmpFS=/run/%n/tmp
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/%n/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SlurmdParameters=config_overrides
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
ReturnToService=2
KillWait=2
MessageTimeout=20
NodeName=n[1-2] NodeHostname=host NodeAddr=127.0.0.1 Port=[7001-7002] CPUs={cpus} RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


def enter():
    """Starts this program again in namespaces of its own, or returns where it is there already."""
    if os.environ.get(INSIDE):
        return
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        skip(f"there is no {', '.join(missing)}; Debian has them in slurm-wlm and munge")
    if subprocess.run([*ISOLATED, "--net", "true"], capture_output=True, check=False).returncode != 0:
        skip("this account can make no namespaces")
    os.environ[INSIDE] = "1"
    os.execvp(ISOLATED[0], [*ISOLATED, "--net", *IN_SHELL, sys.executable, *sys.argv])


def loopback_up():
    """All of 127.0.0.0/8 is local. getaddrinfo(AI_ADDRCONFIG), which Slurm calls, needs an address but 127.0.0.1."""
    set_flags, set_address, up_and_running = 0x8914, 0x8916, 0x41
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", up_and_running))
        fcntl.ioctl(any_socket, set_address,
                    struct.pack("16sH2x4s8x", b"lo", socket.AF_INET, socket.inet_aton("127.0.0.2")))


class Cluster:
    """Runs while it lives; enter() first."""

    def __init__(self):
        for folder in (RUN, "/dev/shm"):
            subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder], check=True)
        loopback_up()
        socket.sethostname("host")
        (RUN / "hosts").write_text("127.0.0.1 localhost host n1 n2\n")
        subprocess.run(["mount", "--bind", RUN / "hosts", "/etc/hosts"], check=True)
        for folder in ("state", "tmp", *(f"{node}/{name}" for node in NODES for name in ("spool", "tmp"))):
            (RUN / folder).mkdir(parents=True)
        (RUN / "munge.key").write_bytes(os.urandom(1024))
        (RUN / "munge.key").chmod(0o400)
        (RUN / "slurm.conf").write_text(CONFIGURATION.format(cpus=max(2, len(os.sched_getaffinity(0)))))
        (RUN / "cgroup.conf").write_text(
            "CgroupPlugin=disabled\n" if self.version() >= (23, 2) else "")
        for name in list(os.environ):
            if name.startswith(("SLURM", "SBATCH", "OMPI_", "PMIX_", "PMI_")):
                del os.environ[name]
        # Open MPI takes the two nodes for two hosts, which only have the loopback.
        os.environ.update(SLURM_CONF=str(RUN / "slurm.conf"), TMPDIR=str(RUN / "tmp"),
                          OMPI_MCA_btl_tcp_if_include="lo", OMPI_ALLOW_RUN_AS_ROOT="1",
                          OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.daemons = {}
        self.start("munged", "--foreground", "--force", "--socket=/run/munge.socket", "--key-file=/run/munge.key",
                   "--pid-file=/run/munged.pid", "--log-file=/run/munged.log", "--seed-file=/run/munged.seed")
        self.wait("munged", (RUN / "munge.socket").exists)
        self.start("slurmctld", "-D")
        for node in NODES:
            self.start_node(node)
        self.wait("slurmd", lambda: all(self.state(node) == "idle" for node in NODES))

    @staticmethod
    def version():
        said = subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True).stdout
        return tuple(int(part) for part in said.split()[-1].split(".")[:2])

    def start(self, program, *words, name=""):
        with open(RUN / f"{name or program}.out", "ab") as log:
            self.daemons[name or program] = subprocess.Popen(  # pylint: disable=consider-using-with
                [program, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def start_node(self, node):
        """A node has namespaces too: its processes end at once, and its name is that of a host."""
        self.start(*ISOLATED, "sh", "-c", f"hostname {node} && slurmd -D -N {node}; exit $?", name=node)

    def wait(self, what, condition, seconds=20):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                for log in sorted(RUN.glob("*.out")):
                    print(f"{log}:", *log.read_text(errors="replace").splitlines()[-20:], sep="\n", file=sys.stderr)
                skip(f"{what} does not start here")
            time.sleep(0.05)

    @staticmethod
    def state(node):
        return subprocess.run(["sinfo", "-h", "-n", node, "-o", "%t"], capture_output=True, text=True,
                              check=False).stdout.strip()

    def crash_node(self, node):
        """Ends its daemon, its steps and their tasks at once."""
        self.daemons[node].kill()  # unshare's child ends with it, and with that all of the namespace
        self.daemons[node].wait()

    def freeze_node(self, node):
        """Nobody can reach it, and its tasks keep what they hold, until it crashes."""
        (first,) = Path(f"/proc/{self.daemons[node].pid}/task/{self.daemons[node].pid}/children").read_text().split()
        namespace = os.readlink(f"/proc/{first}/ns/pid")
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(folder / "ns/pid") == namespace:
                    os.kill(int(folder.name), signal.SIGSTOP)
            except (FileNotFoundError, ProcessLookupError):  # it has ended
                pass


if __name__ == "__main__":
    enter()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    CLUSTER = Cluster()
    sys.exit(subprocess.run(sys.argv[1:], check=False).returncode)
