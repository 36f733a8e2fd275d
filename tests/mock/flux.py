"""flux.py - flux batch, jobs, cancel, run, getattr, resource list and --parent.

Sources: flux-batch(1), flux-run(1), flux-jobs(1), flux-cancel(1), flux-environment(7) of
flux-core; RFC 19 (job numbers), 23 (durations), 26 (dependencies), 36 (directives); where
they leave it open, flux/job/directives.py, flux/cli/base.py and batch.py, flux/job/list.py
and the issues named below.  Usage errors end with 2, the others with 1.
"""
import argparse
import json
import os
import re
import shlex
import signal
import socket
import string
import sys
import time

import batch
from batch import Refused

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
KILL_TIMEOUT = 5  # flux-cancel(1): SIGKILL follows SIGTERM after 5 s by default


def error(program, text):
    return Refused(f"{program}: ERROR: {text}", 1)


def id_of(number):
    """A number as large as the real ones: time and sequence in 64 bits (RFC 19)."""
    return (number * 1000003) << 24


def f58(number):
    """RFC 19: base 58 with a letter before; 'f' where ƒ cannot be shown."""
    value, digits = id_of(number), ""
    while value:
        value, digit = divmod(value, 58)
        digits = BASE58[digit] + digits
    ascii_only = "FLUX_F58_FORCE_ASCII" in os.environ or "utf" not in sys.getfilesystemencoding().lower()
    return ("f" if ascii_only else "\u0192") + digits


def number_of(text, program):
    """The job that a text names in any of the encodings: f58, decimal, hexadecimal."""
    value = None
    if re.fullmatch(r"\d+", text):
        value = int(text)
    elif re.fullmatch(r"0x[0-9a-fA-F]+", text):
        value = int(text, 16)
    elif re.fullmatch(f"[f\u0192][{BASE58}]+", text):
        value = 0
        for digit in text[1:]:
            value = value * 58 + BASE58.index(digit)
    if value is None:
        raise Refused(f"{program}: error: argument JOBID: invalid JobID value: '{text}'", 2)
    number, rest = divmod(value >> 24, 1000003)
    known = rest == 0 and number << 24 and id_of(number) == value and batch.jobs(number)
    return number if known else None


def seconds_of(text, minutes):
    """RFC 23: a number and s, m, h, d or ms; without a unit minutes for -t, else seconds."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+)(ms|[smhd])?", text)
    if not found:
        raise ValueError(f"invalid Flux standard duration '{text}'")
    unit = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, None: 60 if minutes else 1}
    return float(found[1]) * unit[found[2]]


def warning_of(text):
    """flux-batch(1) "--signal": SIG@TIME, of which either may be missing."""
    name, _, when = text.partition("@")
    name = name or "SIGUSR1"
    if name.isdigit():
        number = int(name)
    else:
        full = name if name.startswith("SIG") else f"SIG{name}"
        number = getattr(signal, full, None)
    if not isinstance(number, int) or number <= 0:
        raise ValueError(f"--signal={text}: signal '{name}' is invalid")
    # Issues 5202, 6729 and 6968 of flux-core: the broker hands it to every running job
    # and, since 2025, to the batch script as well, which has to trap it to live on.
    before = seconds_of(when or "60", False)
    return [[before, int(number), "steps"], [before, int(number), "script"]]


def depend_of(texts, program):
    """flux-batch(1) "--dependency": SCHEME:VALUE; the job must still be known."""
    parts = ["and"]
    for text in texts or []:
        scheme, _, value = text.partition(":")
        if scheme not in ("after", "afterany", "afterok", "afternotok"):
            raise error(program, f'[Errno 22] dependency scheme "{scheme}" not supported')
        number = number_of(value, program)
        if number is None:
            raise error(program, f"[Errno 2] dependency: {scheme}: job {value} not found")  # wording not known
        parts.append([scheme, number, None])
    return parts if texts else None


def directives(text, name):
    """RFC 36, flux-batch(1) SUBMISSION DIRECTIVES: the words of each line, and its number.

    A line '# flux:' or '#FLUX:' after any prefix that is not a word; one prefix for the
    whole file; all before the first line without it; shell quoting, # begins a comment.
    """
    sentinel, over, found = None, 0, []
    for count, line in enumerate(text.splitlines(), 1):
        match = re.match(r"^([^\w]*)((?:flux|FLUX):)(.*)$", line)
        if not match:
            if sentinel and not over and line.strip() and not line.startswith(sentinel[0].rstrip()):
                over = count - 1
            continue
        if over:
            raise ValueError(f"{name}: line {count}: orphan '{match[2]}' detected: "
                             f"directives disabled after line {over}")  # fmt: skip
        if sentinel and (match[1], match[2]) != sentinel:
            raise ValueError(f"{name}: line {count}: sentinel changed from "
                             f"'{''.join(sentinel)}' to '{match[1]}{match[2]}'")  # fmt: skip
        sentinel = (match[1], match[2])
        lexer = shlex.shlex(match[3], posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.escapedquotes = "\"'"
        try:
            words = list(lexer)
        except ValueError as wrong:
            raise ValueError(f"{name}: line {count}: {match[3]}: {wrong}") from None
        if words and not words[0].startswith("-"):
            raise ValueError(f"{name}: line {count}: Unknown directive: {match[3]}")
        if words:
            found.append((count, words))
    return found


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(f"{self.format_usage().strip()}\n{self.prog}: error: {message}", 2)


def parser_of(program):
    """flux/cli/base.py: what all submission commands share."""
    parser = Parser(prog=program, usage=f"{program} [OPTIONS...] COMMAND [ARGS...]", add_help=False)
    for names in ("-q --queue", "-t --time-limit", "--urgency", "--job-name", "--output", "--error", "--input", "--cwd",
                  "--signal", "--begin-time", "--bank"):  # fmt: skip
        parser.add_argument(*names.split())
    for names in ("-o --setopt", "-S --setattr", "--dependency", "--requires", "--env", "--env-remove",
                  "--rlimit", "--flags", "--add-file", "--conf"):  # fmt: skip
        parser.add_argument(*names.split(), action="append")
    for name in ("--exclusive", "--dry-run", "--quiet", "--unbuffered", "--wrap"):
        parser.add_argument(*(["-x"] if name == "--exclusive" else []), name, action="store_true")
    return parser


def environment_of(rules):
    """flux-batch(1) "--env": the rules in their order, on all of the environment."""
    found = dict(os.environ)
    for rule in rules or []:
        name, equals, value = rule.partition("=")
        if rule[:1] in ("-", "^", "/") or not equals:
            raise Refused(f"flux-batch: the mock has no --env={rule}", 70)
        found[name] = value
    return found


def flux_batch(argv):
    program = "flux-batch"
    parser = parser_of("flux batch")
    for names in ("-n --nslots", "-c --cores-per-slot", "-g --gpus-per-slot", "-N --nodes"):
        parser.add_argument(*names.split(), type=int)
    parser.add_argument("SCRIPT", nargs=argparse.REMAINDER)
    first = parser.parse_args(argv)
    name = first.SCRIPT[0] if first.SCRIPT else "stdin"
    try:
        if first.wrap:
            text, found = "#!/bin/sh\n" + (" ".join(first.SCRIPT) or sys.stdin.read()) + "\n", []
        else:
            text = open(name, encoding="utf-8").read() if first.SCRIPT else sys.stdin.read()
            found = directives(text, name)
        args = None
        for line, words in found:
            try:
                args = parser.parse_args(words, namespace=args)
            except Refused as refused:
                where = f"{program}: ERROR: argument parsing failed at {name} line {line}"
                raise Refused(f"{refused.text}\n{where}", 2) from None
        args = parser.parse_args(argv, namespace=args)
        job = job_of(args, text, name, program)
    except UnicodeDecodeError:
        raise error(program, f"{name} does not appear to be a script, or failed to encode as utf-8") from None
    except OSError as wrong:
        raise error(program, f"[Errno {wrong.errno}] {wrong.strerror}: '{name}'") from None
    except ValueError as wrong:
        raise error(program, str(wrong)) from None
    if args.dry_run:
        print(json.dumps(job["options"]))
        return 0
    number = batch.submit(job, text.encode(), None)
    if not args.quiet:
        print(f58(number))
    return 0


def job_of(args, text, name, program):
    """flux/cli/batch.py, init_jobspec(); flux/cli/base.py, jobspec_create()."""
    if not args.nslots:
        if not args.nodes:
            raise ValueError("Number of slots to allocate must be specified")
        args.nslots = args.nodes
    if args.nodes and args.nslots < args.nodes:
        raise ValueError("number of slots must not be less than number of nodes")  # wording not known
    nodes = args.nodes or 1
    if nodes > batch.node_count():
        raise error(program, "[Errno 22] unsatisfiable request")  # wording not known
    known = batch.queues()  # flux-batch(1) "-q": without configured queues it is ignored
    if args.queue and known and args.queue not in known:
        raise error(program, f"[Errno 22] Invalid queue '{args.queue}' specified")  # wording not known
    if not text.startswith("#!"):
        raise ValueError(f"{name} does not appear to be a script")  # flux/job/Jobspec.py, from_batch_command()
    end = [[0, signal.SIGHUP, "script"], [0, signal.SIGTERM, "steps"], [KILL_TIMEOUT, signal.SIGKILL, "all"]]
    where = os.path.abspath(args.cwd or os.getcwd())
    return {
        "system": "flux", "name": args.job_name or (args.SCRIPT[0] if args.SCRIPT else "batch"), "queue": args.queue,
        "options": {k: v for k, v in vars(args).items() if v not in (None, False)}, "nodes": nodes,
        "ranks": -(-args.nslots // nodes), "slots": args.nslots, "array": False, "direct": True, "cwd": where,
        "walltime": seconds_of(args.time_limit, True) if args.time_limit else None,
        "warn": warning_of(args.signal) if args.signal else [], "at_limit": end, "at_cancel": end,
        "depend": depend_of(args.dependency, program), "hold": args.urgency in ("hold", "0"),
        "environment": environment_of(args.env), "o": args.output or "flux-{{id}}.out", "e": args.error,
        "arguments": args.SCRIPT[1:],
    }  # fmt: skip


def prepare(job):
    """flux-environment(7): the script has FLUX_URI, but no FLUX_JOB_ID: 'flux getattr jobid'."""
    environment = {n: v for n, v in job["environment"].items() if not re.match(r"FLUX_JOB|FLUX_TASK|PMI_|SLURM_", n)}
    environment.update(FLUX_URI=f"local:///tmp/flux-mock/{job['key']}/local-0", RC_MOCK_JOB=job["key"])
    for letter, name in (("o", "output"), ("e", "error")):
        path = job[letter]
        if path in (None, "none", "kvs"):
            job[name] = None
            continue
        for tag in ("{{id}}", "{{jobid}}"):
            path = path.replace(tag, f58(job["number"]))
        path = path.replace("{{id.dec}}", str(id_of(job["number"]))).replace("{{name}}", job["name"])
        job[name] = os.path.join(job["cwd"], path)
    return [job["script"]] + job["arguments"], environment, job["cwd"]


def flux_run(argv):
    """flux-run(1): -N nodes, -n tasks, -c cores of a task, --tasks-per-node.

    Inside a batch job; the signals that it hands on to the tasks: flux-job(1), attach.
    """
    program = "flux-run"
    parser = parser_of("flux run")
    for names in ("-n --ntasks", "-N --nodes", "-c --cores-per-task", "-g --gpus-per-task", "--cores",
                  "--tasks-per-node", "--tasks-per-core"):  # fmt: skip
        parser.add_argument(*names.split())
    parser.add_argument("-l", "--label-io", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args(argv)
    counts = {}
    for name in ("ntasks", "nodes", "cores_per_task", "gpus_per_task", "cores", "tasks_per_node", "tasks_per_core"):
        value = getattr(args, name)
        if value is not None:
            if not re.fullmatch(r"\d+", value):
                raise error(program, f"--{name.replace('_', '-')}: invalid int value '{value}'")
            counts[name] = int(value)
    if not args.command:
        raise error(program, "job command and arguments are missing")
    if "tasks_per_node" in counts and ("ntasks" in counts or "cores_per_task" in counts):
        raise error(program, "Per-resource options can't be used with per-task options. (See --help for details)")
    key = os.environ.get("RC_MOCK_JOB")
    job = batch.load(key) if key else None
    if job is None:
        raise error(program, "Unable to connect to Flux: broker socket /run/flux/local was not found")
    nodes = counts.get("nodes", 1)
    tasks = counts["tasks_per_node"] * counts.get("nodes", job["nodes"]) if "tasks_per_node" in counts else \
        counts.get("ntasks", nodes)  # fmt: skip
    cores = max(job["slots"], job["nodes"] * (os.cpu_count() or 1))
    if nodes > job["nodes"] or tasks < nodes or tasks * counts.get("cores_per_task", 1) > cores:
        raise error(program, "unsatisfiable request")
    environment = dict(os.environ, FLUX_JOB_ID=f58(job["number"]), FLUX_JOB_SIZE=str(tasks), FLUX_JOB_NNODES=str(nodes))
    return batch.mpirun(tasks, args.command, environment, key)


def state_of(job):
    """flux-jobs(1) JOB STATUS: DEPEND, SCHED, RUN, CLEANUP, INACTIVE."""
    if job["state"] == "finished":
        return "INACTIVE"
    if job["state"] == "running":
        return "RUN"
    return "DEPEND" if job["waiting"] and job["depend"] else "SCHED"


def result_of(job):
    if job["state"] != "finished":
        return ""
    return {"ok": "COMPLETED", "cancelled": "CANCELED", "timeout": "TIMEOUT"}.get(job["result"], "FAILED")


def code_of(job):
    """flux-jobs(1) returncode: a status, minus a signal, -128 if it never ran."""
    if job["state"] != "finished":
        return ""
    return -128 if job["status"] is None else job["status"]


EXCEPTIONS = {"cancelled": ("cancel", ""), "timeout": ("timeout", "resource allocation expired"),
              "dependency": ("dependency", "dependency can never be satisfied"),
              "lost": ("node-failure", "lost contact with node")}  # fmt: skip


class Shown:
    """A job as the format sees it; flux-jobs(1) OUTPUT FORMAT names the fields."""

    def __init__(self, job):
        number = job["number"]
        self.id = IdShown(number)
        self.state, self.result, self.returncode = state_of(job), result_of(job), code_of(job)
        self.state_single = self.state[0]
        self.status = self.result or {"RUN": "RUNNING"}.get(self.state, "PENDING")
        brief = {"COMPLETED": "CD", "FAILED": "F", "CANCELED": "CA", "TIMEOUT": "TO", "RUNNING": "R", "PENDING": "PD"}
        self.status_abbrev = brief[self.status]
        self.result_abbrev = brief.get(self.result, "")
        self.name, self.queue, self.username = job["name"], job["queue"] or "", os.environ.get("USER", "root")
        self.ntasks, self.userid = job["nodes"], os.getuid()
        self.nnodes = job["nodes"] if job["runs"] else ""
        self.nodelist = ",".join(dict.fromkeys(batch.hosts(job["nodes"]))) if job["runs"] else ""
        self.success = "" if not self.result else self.result == "COMPLETED"
        self.t_submit, self.t_run, self.t_inactive = job["submitted"], job["started"] or 0.0, job["ended"] or 0.0
        self.runtime = ((job["ended"] or time.time()) - job["started"]) if job["started"] else 0.0
        self.waitstatus = "" if job["status"] is None else job["status"] << 8 if job["status"] >= 0 else -job["status"]
        kind, note = EXCEPTIONS.get(job["result"], ("", ""))
        what = {"occurred": bool(kind), "severity": 0 if kind else "", "type": kind, "note": note}
        self.exception = type("Exception", (), what)


class IdShown:
    def __init__(self, number):
        self.dec, self.f58, self.hex = id_of(number), f58(number), f"0x{id_of(number):x}"

    def __str__(self):
        return self.f58

    def __format__(self, spec):
        return format(self.f58, spec)


class Formatter(string.Formatter):
    def get_field(self, field_name, args, kwargs):
        try:
            return super().get_field(field_name, args, kwargs)
        except (KeyError, AttributeError):
            raise error("flux-jobs", f"Error in user format: Unknown format field: {field_name}") from None

    def format_field(self, value, format_spec):
        if format_spec.endswith("h"):  # flux-jobs(1): an empty value is a hyphen
            value, format_spec = "-" if str(value) in ("", "0s", "0.0") else str(value), format_spec[:-1]
        kept = format_spec == "" or isinstance(value, (int, float, IdShown))
        return super().format_field(value if kept else str(value), format_spec)


def flux_jobs(argv):
    """flux-jobs(1): an unknown job is a line on standard error and no failure (list.py)."""
    parser = Parser(prog="flux-jobs", usage="flux-jobs [OPTIONS] [JOBID ...]", add_help=False)
    parser.add_argument("-a", action="store_true")
    parser.add_argument("-A", action="store_true")
    parser.add_argument("-n", "--no-header", "--suppress-header", action="store_true")
    default = "{id.f58:>12} {username:<8} {name:<10} {status_abbrev:>2} {ntasks:>6} {nnodes:>6h}"
    parser.add_argument("-o", "--format", default=default)
    parser.add_argument("-f", "--filter")
    parser.add_argument("-c", "--count", type=int)
    parser.add_argument("-u", "--user")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("jobids", nargs="*")
    args = parser.parse_args(argv)
    chosen = []
    for text in args.jobids:
        number = number_of(text, "flux-jobs")
        parts = [j for j in batch.jobs(number) if j["system"] == "flux"] if number else []
        if not parts or (os.environ.get("RC_MOCK_HISTORY", "1") == "0" and parts[0]["state"] == "finished"):
            print(f"JobID {text} unknown", file=sys.stderr)
            continue
        chosen += parts
    if not args.jobids:
        chosen = [j for j in batch.jobs() if j["system"] == "flux" and (args.a or j["state"] != "finished")]
    if args.json:
        rows = [json_of(j) for j in chosen]
        if rows or not args.jobids:
            print(json.dumps(rows[0] if len(args.jobids) == 1 else {"jobs": rows}))
        return 0
    fields = [name for _, name, _, _ in string.Formatter().parse(args.format) if name]
    if not args.no_header:
        print(" ".join(f.upper() for f in fields))
    for job in chosen:
        shown = Shown(job)
        print(Formatter().vformat(args.format, (), {n: getattr(shown, n) for n in vars(shown)}))
    return 0


def json_of(job):
    shown = Shown(job)
    row = {n: getattr(shown, n) for n in ("status", "state", "result", "returncode", "name", "t_submit", "runtime")}
    return {"id": shown.id.dec, **{n: v for n, v in row.items() if v != ""}}


def flux_cancel(argv):
    """flux-cancel(1), flux-cancel.py."""
    if not argv:
        raise error("flux-cancel", "No target jobs were provided")
    status = 0
    for text in argv:
        number = number_of(text, "flux-cancel")
        parts = batch.jobs(number) if number else []
        wrong = None if parts else "unknown job id"
        if parts and parts[0]["state"] == "finished":
            wrong = "job is inactive"
        if wrong:
            print(f"flux-cancel: ERROR: {text}: {wrong}", file=sys.stderr)
            status = 1
            continue
        batch.ask(parts[0]["key"], cancel=True)
    return status


def flux_getattr(argv):
    """flux-environment(7), "Initial program environment": how a script asks for its own job."""
    job = batch.load(os.environ.get("RC_MOCK_JOB", ""))
    if job is None:
        raise Refused("flux-getattr: flux_open: No such file or directory", 1)
    values = {"jobid": f58(job["number"]), "size": str(job["nodes"]), "hostlist": ",".join(batch.hosts(job["nodes"]))}
    if len(argv) != 1 or argv[0] not in values:
        raise Refused(f"flux-getattr: {argv[0] if argv else ''}: No such file or directory", 1)
    print(values[argv[0]])
    return 0


def flux_resource(argv):
    job = batch.load(os.environ.get("RC_MOCK_JOB", ""))
    nodes = job["nodes"] if job else batch.node_count()
    values = {"{nnodes}": nodes, "{ncores}": nodes * (os.cpu_count() or 1), "{nodelist}": ",".join(batch.hosts(nodes))}
    if argv[:1] != ["list"] or argv[-1] not in values or "-no" not in "".join(argv[1:-1]):
        raise Refused("flux resource: the mock has 'list -no {nnodes}', {ncores} and {nodelist}", 70)
    print(values[argv[-1]])
    return 0


def command(_, argv):
    if argv[:1] in (["--version"], ["version"]):
        print(f"commands:    \t\t0.78.0 (mock on {socket.gethostname()})")
        return 0
    known = {"batch": flux_batch, "run": flux_run, "jobs": flux_jobs, "cancel": flux_cancel, "getattr": flux_getattr,
             "resource": flux_resource}  # fmt: skip
    if argv[:1] == ["--parent"]:  # flux-batch(1): the enclosing instance
        argv = argv[1:]
        inside = os.environ.pop("RC_MOCK_JOB", None)
        if inside is None:
            raise Refused("flux: --parent: not in a Flux job", 1)  # wording not known
    elif argv[:1] in (["batch"], ["jobs"], ["cancel"]) and "RC_MOCK_JOB" in os.environ:
        # In a script these mean the instance of the job itself, not the one that has the queue.
        raise Refused(f"flux-{argv[0]}: the mock has no instance inside a job: flux --parent {argv[0]}", 70)
    if not argv or argv[0] not in known:
        raise Refused(f"flux: `{argv[0] if argv else ''}' is not a flux command.  See 'flux --help'", 1)
    return known[argv[0]](argv[1:])
