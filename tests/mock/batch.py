#!/usr/bin/python3 -SE
"""batch.py - the commands of OpenPBS, LSF and Flux for tests, called by their names.

Not one of these systems is in Debian.  The mock commands take what the manuals allow,
refuse what the real ones refuse, and really run the job: pbs.py, lsf.py, flux.py and
jsm.py parse and print, each rule with the manual it is from; this file keeps the jobs
and runs them.  A wording that no manual, source or transcript shows is marked
"wording not known".

RC_MOCK_STATE    directory of the jobs; must be set
RC_MOCK_SECOND   how long a second of a time limit takes here (default 1); a machine that
                 stands still takes nothing of it
RC_MOCK_NODES    nodes of the machine (default 2); jobs wait until theirs are free
RC_MOCK_HOSTS    names of the nodes; else this host's, again and again
RC_MOCK_QUEUES   names of the queues; the first is the default one
RC_MOCK_HISTORY  0: finished jobs are forgotten (PBS: job_history_enable is off)

Every job has a runner, a process of its own that ends with the job.  'batch.py stop'
ends all of them; 'wait SECONDS' waits for them; 'jobs' prints what is known of every job;
'lose KEY' is the loss of a node of a job.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
TICK = 0.05  # seconds between two looks of a runner
LATE = 0.5  # what a look that comes late may add to the time of a job


class Refused(Exception):
    """What a command says on standard error, and its exit status."""

    def __init__(self, text, status):
        super().__init__(text)
        self.text, self.status = text, status


def state():
    where = os.environ.get("RC_MOCK_STATE")
    if not where:
        raise Refused("RC_MOCK_STATE is not set: it names the directory of the mock jobs", 70)
    where = pathlib.Path(where)
    if sys.argv[1:2] == ["run"]:
        return where  # a runner does not bring back what a test has removed
    for name in ("jobs", "requests", "spool", "steps"):
        (where / name).mkdir(parents=True, exist_ok=True)
    return where


def second():
    return float(os.environ.get("RC_MOCK_SECOND", "1"))


def queues(*default):
    return os.environ.get("RC_MOCK_QUEUES", " ".join(default)).split()


def node_count():
    return int(os.environ.get("RC_MOCK_NODES", "2"))


def hosts(count):
    names = os.environ.get("RC_MOCK_HOSTS", "").split() or [socket.gethostname()]
    return [names[i % len(names)] for i in range(count)]


@contextlib.contextmanager
def locked():
    with open(state() / "lock", "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def record(key):
    return state() / "jobs" / f"{key}.json"


def save(job):
    path = record(job["key"])
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(job, file, indent=1, ensure_ascii=False, sort_keys=True)
    os.replace(f"{path}.new", path)


def load(key):
    """The job, or None."""
    try:
        return json.loads(record(key).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def jobs(number=None):
    """Every job, or the elements of one array, in the order of submission."""
    found = [json.loads(p.read_text(encoding="utf-8")) for p in (state() / "jobs").glob("*.json")]
    found = [j for j in found if number is None or j["number"] == number]
    return sorted(found, key=lambda j: (j["number"], j["index"] or 0))


def next_number():
    with locked():
        path = state() / "number"
        number = int(path.read_text(encoding="ascii")) + 1 if path.exists() else 1
        path.write_text(str(number), encoding="ascii")
    return number


def ask(key, **request):
    """Leaves a request for the runner of the job."""
    path = state() / "requests" / key
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(request, file)
    os.replace(f"{path}.new", path)


def asked(key):
    """Takes the request for the job, or {}."""
    path = state() / "requests" / key
    try:
        request = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    path.unlink()
    return request


def submit(job, script, indices):
    """Makes a job, or an array of them with 'indices', and starts the runners.

    The caller fills in the rest: see NEW for what there is.
    """
    number = job["number"] = next_number()
    path = state() / "spool" / f"{number}.sh"
    path.write_bytes(script)
    path.chmod(0o700)
    for index in indices or [None]:
        key = str(number) if index is None else f"{number}.{index}"
        each = {**NEW, **job, "key": key, "index": index, "script": str(path), "submitted": time.time()}
        if each["hold"]:
            each["state"] = "held"
        save(each)
        start_runner(key)
    return number


NEW = {
    "state": "pending",  # held, pending, running, finished
    "result": None,  # ok, failed, cancelled, timeout, dependency, lost
    "status": None,  # as waitpid gives it: a status, or minus a signal
    "hold": False,
    "waiting": False,  # for what it depends on
    "runs": 0,
    "rerun": False,  # again when a node is lost
    "requeue_on": [],  # again when it ends with one of these
    "depend": None,  # an expression; see holds()
    "nodes": 1,
    "ranks": 1,  # on each node
    "walltime": None,  # seconds
    "warn": [],  # [seconds before the limit, signal, whom]
    "at_limit": [],  # [seconds after the limit, signal, whom]
    "at_cancel": [],  # the same, after the command that cancels
    "sent": [],  # what was sent: [seconds since the start, signal, whom]
    "direct": False,  # output as the job goes, not when it ends
    "append": False,
    "error": None,  # joined with the output
    "output": None,  # nowhere
    "started": None,
    "ended": None,
    "runner": None,
    "leader": None,
}


def holds(condition):
    """True, False for not yet, None for never.

    A condition is ["and"|"or", ...], ["not", c] or [what, number, index or None] with
    what one of after, afterok, afternotok, afterany, ended, done, exit, started.
    """
    what = condition[0]
    if what in ("and", "or"):
        parts = [holds(c) for c in condition[1:]]
        settles = what == "or"
        if settles in parts:
            return settles if settles or None not in parts else None
        return None if None in parts and (not settles or set(parts) == {None}) else not settles
    if what == "not":
        inner = holds(condition[1])
        return True if inner is None else not inner
    found = [j for j in jobs(condition[1]) if condition[2] is None or j["index"] == condition[2]]
    parts = [one_holds(what, j) for j in found] or [None]
    return None if None in parts else all(parts)


def one_holds(what, job):
    over, ran, good = job["state"] == "finished", job["runs"] > 0, job["result"] == "ok"
    if what in ("after", "started"):
        return ran or (None if over else False)
    if not over:
        return False
    if what == "afterany" and job["system"] == "pbs":
        # qsub(1B), -W depend: not after a job that was deleted without having run.
        return True if ran else None
    if what in ("afterany", "ended"):
        return True
    if what in ("afterok", "done"):
        return True if good else None
    return True if not good and (ran or what == "exit") else None


def session(leader):
    """The processes of the job: the systems find them by session, group or cgroup."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.append(int(path.parent.name))
    return found


def send(job, number, whom):
    """Sends a signal to 'all' of the job, its 'script', or its 'steps'."""
    targets = [job["leader"]] if whom == "script" else []
    if whom == "steps":
        targets = [int(p.name) for p in (state() / "steps" / job["key"]).glob("*")]
    if whom == "all":
        targets = session(job["leader"])
    for pid in targets:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    when = (time.time() - job["started"]) / second()
    job["sent"].append([round(when, 2), signal.Signals(number).name, whom])


def start_runner(key):
    """Starts the runner of a job as a session of its own."""
    with open(state() / "spool" / f"{key}.log", "ab") as log:
        runner = subprocess.Popen([sys.executable, "-SE", os.path.realpath(__file__), "run", key], cwd="/",
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    with locked():
        job = load(key)
        if job["runner"] is None:
            job["runner"] = runner.pid
            save(job)
    runner.returncode = 0  # it outlives this command


def run_job(key):
    """The life of a job, in its runner; it is over as well when the directory is gone."""
    job = None
    try:
        with locked():
            job = load(key)
            job["runner"] = os.getpid()
            save(job)
        while wait_turn(job):
            if not run_once(job):
                break
        job["ended"] = time.time()
        with locked():
            job["state"] = "finished"
            save(job)
    except (FileNotFoundError, TypeError):
        if record(key).exists():
            raise
    finally:
        kill_left(job or NEW)


def kill_left(job):
    left = session(job["leader"]) if job["leader"] else []
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def finish_early(job, result):
    job["result"] = result
    return False


def wait_turn(job):
    """Waits for dependencies, holds and nodes; false where the job will never run."""
    while True:
        request = asked(job["key"])
        if stopping() or request.get("cancel"):
            return finish_early(job, "cancelled")
        if request.get("release"):
            job["hold"], job["state"] = False, "pending"
            save(job)
        ready = True if job["depend"] is None else holds(job["depend"])
        if ready is None and job["system"] != "lsf":  # LSF leaves it pending
            return finish_early(job, "dependency")
        with locked():
            if ready and not job["hold"] and free_nodes(job):
                job.update(state="running", started=time.time(), sent=[], status=None, result=None)
                job["runs"] += 1
                save(job)
                return True
            if job["waiting"] != (ready is not True):
                job["waiting"] = ready is not True
                save(job)
        time.sleep(TICK)


def free_nodes(job):
    busy = sum(j["nodes"] for j in jobs() if j["state"] == "running")
    return busy + job["nodes"] <= node_count()


def stopping():
    return (state() / "stop").exists() or not (state() / "jobs").exists()


def run_once(job):
    """Runs the job once; true if it has to go back into the queue."""
    system = module(job["system"])
    argv, environment, where = system.prepare(job)
    spool = state() / "spool"
    files = {"output": job["output"], "error": job["error"]}
    paths = {n: f if job["direct"] or not f else str(spool / f"{job['key']}.{n}") for n, f in files.items()}
    with contextlib.ExitStack() as stack:
        for path in paths.values():
            if path and not (job["direct"] and job["append"]):
                open(path, "wb").close()  # what stands there is of an earlier run
        out = stack.enter_context(open(paths["output"] or os.devnull, "ab"))
        err = stack.enter_context(open(paths["error"], "ab")) if paths["error"] else subprocess.STDOUT
        child = subprocess.Popen(argv, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, start_new_session=True)
        job["leader"] = child.pid
        save(job)
        watch(job, child, system)
    job["left"] = kill_left(job)
    job["ended"] = time.time()
    if hasattr(system, "epilogue"):
        system.epilogue(job, paths["output"])
    for name, path in files.items():
        if path and not job["direct"]:
            deliver(job, paths[name], path)
    shutil.rmtree(state() / "steps" / job["key"], ignore_errors=True)
    again = job["result"] == "requeued" or (job["result"] == "failed" and job["status"] in job["requeue_on"])
    if again:
        job["state"] = "pending"
    save(job)
    return again


def deliver(job, spooled, path):
    try:
        with open(spooled, "rb") as source, open(path, "ab" if job["append"] else "wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        job["undelivered"] = str(error)


def watch(job, child, system):
    """Waits for the job, sends what is due, obeys requests.

    Its time is what its runner has seen of it: where the machine stands still, or is so
    busy that a job gets nowhere, the limit does not come nearer by as much.
    """
    plan, why = [], None
    limit = job["walltime"]
    if limit is not None:
        plan = [[max(0, limit - before), s, whom, None] for before, s, whom in job["warn"]]
        plan += [[limit + after, s, whom, "timeout"] for after, s, whom in job["at_limit"]]
        plan.sort(key=lambda p: p[0])
    ran, looked = 0.0, time.monotonic()
    while child.poll() is None:
        ran += min(LATE, time.monotonic() - looked)
        looked = time.monotonic()
        now = ran / second()
        while plan and plan[0][0] <= now:
            _, number, whom, reason = plan.pop(0)
            if reason and why is None and hasattr(system, "limit_reached"):
                system.limit_reached(job)
            why = reason or why
            send(job, number, whom)
        request = asked(job["key"])
        if request.get("cancel") or request.get("requeue"):
            why = "requeued" if request.get("requeue") else "cancelled"
            plan = [[now + after, s, whom, why] for after, s, whom in job["at_cancel"]]
        if request.get("signal"):
            send(job, request["signal"], "all")
        if request.get("lose"):
            why = "requeued" if job["rerun"] else "lost"
            send(job, signal.SIGKILL, "all")
        if stopping():
            why = "cancelled"
            send(job, signal.SIGKILL, "all")
        time.sleep(min(TICK, second()))
    job["status"] = child.returncode
    job["result"] = why or ("ok" if child.returncode == 0 else "failed")


def stop():
    """Ends every job and every runner; returns when they are gone."""
    (state() / "stop").touch()
    left = [j for j in jobs() if alive(j["runner"])]
    for _ in range(200):
        left = [j for j in left if alive(j["runner"])]
        if not left:
            return
        time.sleep(TICK)
    for job in left:
        for pid in session(job["leader"] or -1) + [job["runner"]]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def alive(pid):
    """Whether the runner is still there (numbers are used again)."""
    try:
        return b"batch.py" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def mpirun(ranks, command, environment, key=None):
    """Ranks of a command on this machine, in place of a launcher's."""
    argv = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + command
    step = None
    if key:
        step = state() / "steps" / key / str(os.getpid())
        step.parent.mkdir(parents=True, exist_ok=True)
        step.touch()
    # Open MPI takes FLUX_JOB_ID for a Flux that it could ask, and crashes.
    child = subprocess.Popen(argv, env={**environment, "OMPI_MCA_pmix": "^flux"})
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda n, _frame: child.poll() is None and child.send_signal(n))
    status = child.wait()
    if step:
        step.unlink(missing_ok=True)
    return status if status >= 0 else 128 - status


def module(system):
    # Python puts the directory of this file, links followed, on its path.
    return __import__(system)


COMMANDS = {
    "pbs": ("qsub", "qstat", "qdel", "qrerun", "pbsnodes"),
    "lsf": ("bsub", "bjobs", "bkill", "brequeue"),
    "flux": ("flux",),
    "jsm": ("jsrun",),
}


def wait(seconds):
    """Until no job can still run; 1 if that takes longer."""
    end = time.time() + seconds
    while time.time() < end:
        if all(j["state"] == "finished" for j in jobs()):
            return 0
        time.sleep(TICK)
    return 1


def own_command(argv):
    if argv[:1] == ["run"]:
        run_job(argv[1])
    elif argv == ["stop"]:
        stop()
    elif argv[:1] == ["lose"]:
        ask(argv[1], lose=True)
    elif argv[:1] == ["jobs"]:
        found = jobs()
        print(eval(argv[1], {"jobs": found}) if argv[1:] else json.dumps(found, indent=1))
    elif argv[:1] == ["wait"]:
        return wait(float(argv[1]))
    else:
        raise Refused("usage: batch.py stop | jobs [EXPRESSION] | wait SECONDS | lose KEY", 2)
    return 0


def main():
    name = os.path.basename(sys.argv[0])
    try:
        for system, names in COMMANDS.items():
            if name in names:
                return module(system).command(name, sys.argv[1:])
        return own_command(sys.argv[1:])
    except Refused as refused:
        sys.stdout.flush()
        if refused.text:
            print(refused.text, file=sys.stderr)
        return refused.status


if __name__ == "__main__":
    sys.modules["batch"] = sys.modules["__main__"]
    sys.exit(main())
