"""lsf.py - bsub, bjobs, bkill and brequeue of IBM Spectrum LSF.

Sources: IBM Spectrum LSF 10.1 Command Reference ("CR": a page for each option of bsub
and bjobs), Configuration Reference ("CF": lsf.conf, lsb.params, environment variables)
and Administering ("AD").  Where they leave it open: what cmd.sub.c and lsb.sub.c of
Platform Lava do, the LSF that was published, and messages in public transcripts.
All failures of bsub end with 255.
"""
import json
import os
import re
import shutil
import signal
import socket
import sys
import time

import batch
from batch import Refused

# CR, bsub "Options": what takes an argument, and what does not.
VALUED = ("alloc_flags a app b clusters cn_cu cn_mem core_isolation csm cwd C c D data E Ep eo env eptl e ext F f G "
          "gpu g hostfile i is jsdl_strict jsdl jsm Jd J k L Lp ln_mem ln_slots mig M m network nnodes n outdir oo o "
          "P pack ptl p Q q R rcacct rnc S sla smt sp stage step_cgroup s T t U u v We wa wt W w").split()  # fmt: skip
FLAGS = "ar B Hn H Ip Is ISp ISs IS IX I K Ne N noe rn r ul x XF Zs h V".split()
NEEDED = 255


def no(text):
    return Refused(f"{text}. Job not submitted.", NEEDED)


def words_of(line):
    """A directive's words: cmd.sub.c, parseLine().

    Blanks separate; '...' or "..." around a word keeps all but that quote, with no
    escapes; a word that begins with # ends the line.
    """
    words = []
    for found in re.finditer(r"((?:'[^']*'|\"[^\"]*\"|[^\s'\"])+)|(['\"].*)", line):
        if found[2]:
            words.append(found[2][1:])
            break
        if found[1].startswith("#"):
            break
        words.append(re.sub(r"'([^']*)'|\"([^\"]*)\"", lambda q: q[1] or q[2] or "", found[1]))
    return words


def take(options, words, mine):
    """Puts options into the table; returns the words from the command on."""
    words = list(words)
    known = sorted([(n, True) for n in VALUED] + [(n, False) for n in FLAGS], key=lambda k: -len(k[0]))
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, valued = next(((n, v) for n, v in known if word[1:] == n), (None, None))
        value = None
        if name is None:  # the value may be joined to the name: -n4
            name = next((n for n, v in known if v and word[1:].startswith(n)), None)
            if name is None:
                raise Refused(f"bsub: illegal option -- {word[1:]}", NEEDED)  # wording not known
            value = word[1 + len(name) :]
        elif valued:
            if not words:
                raise Refused(f"bsub: option requires an argument -- {name}", NEEDED)  # wording not known
            value = words.pop(0)
        if name == "R":  # CR "-R": may be given several times
            options.setdefault("R", (mine, []))[1].append(value)
        elif options.get(name, (-1,))[0] < mine or name not in options:
            options[name] = (mine, value)
    return words


def read_directives(options, text):
    """CR "job_script": '#BSUB' at the beginning of a line, anywhere in the script.

    cmd.sub.c: blanks may stand between # and BSUB; what follows must begin with '-', else
    the line is a comment; a backslash at the end takes the next line along.
    """
    lines = text.decode("utf-8", "surrogateescape").splitlines()
    given = {}
    while lines:
        line = lines.pop(0)
        found = re.match(r"#\s*BSUB\s*(-.*)$", line)
        if not found:
            continue
        line = found[1]
        while line.endswith("\\") and lines:
            line = line[:-1] + lines.pop(0)
        take(given, words_of(line), 1)
    for name, value in given.items():  # CR "command": the command line overrides
        options.setdefault(name, value)
    return any(x.strip() and not x.lstrip().startswith("#") for x in text.decode("utf-8", "replace").splitlines())


def array_of(text):
    """CR "-J": name, or name[start-end[:step],...]%limit with positive indices."""
    found = re.fullmatch(r"([^\[\]]*)\[([^\[\]]+)\](?:%(\d+))?", text)
    if not found:
        if "[" in text or "]" in text or "*" in text or not text or len(text) > 4094:
            raise no("Bad job name")
        return text, None
    indices = []
    for part in found[2].split(","):
        one = re.fullmatch(r"(\d+)(?:-(\d+)(?::(\d+))?)?", part)
        if not one or int(one[1]) < 1 or one[3] == "0" or int(one[2] or one[1]) < int(one[1]):
            raise no("Bad job name")
        indices += range(int(one[1]), int(one[2] or one[1]) + 1, int(one[3] or 1))
    if len(set(indices)) > 1000:  # CF, lsb.params MAX_JOB_ARRAY_SIZE: 1000 by default
        raise no("Job array index too large")  # wording not known
    return found[1], sorted(set(indices))


def minutes_of(text, what):
    """CR "-W" and "-wt": [hour:]minute."""
    if not re.fullmatch(r"\d+(:\d+)?", text):
        raise no(f"{text}: {what}")
    parts = [int(p) for p in text.split(":")]
    return 60 * (parts[0] if len(parts) == 1 else 60 * parts[0] + parts[1])


def ptile_of(requirements):
    """AD "Resource requirement strings": name[...] sections, each at most once."""
    seen, ptile = set(), None
    for text in requirements:
        rest = text.strip()
        while rest:
            found = re.match(r"(select|order|rusage|span|same|cu|affinity)\[([^\[\]]*)\]\s*", rest)
            if not found:
                raise no("Bad resource requirement syntax")
            if found[1] in seen:
                raise no(f'Error near "{found[1]}" : duplicate section')
            if found[1] == "span":
                size = re.fullmatch(r"ptile=(\d+)|hosts=1|block=\d+", found[2].strip())
                if not size:
                    raise no("Bad resource requirement syntax")
                ptile = int(size[1]) if size[1] else -1
            if found[1] == "rusage" and not re.match(r"\w+=", found[2]):
                raise no("Error in rusage section")
            seen.add(found[1])
            rest = rest[found.end() :]
    return ptile


def layout(options):
    """(nodes, slots on each) of -n and -R "span[ptile=]", or of -nnodes under CSM."""
    if "nnodes" in options:  # CR "-nnodes": not with -csm y
        text = options["nnodes"][1]
        if not re.fullmatch(r"[1-9]\d*", text):
            raise no("Bad argument for option -nnodes")  # wording after that of -n
        return int(text), os.cpu_count() or 1
    text = options.get("n", (0, "1"))[1]
    if not re.fullmatch(r"\d+(,\d+)?", text):
        raise no("Bad argument for option -n")
    least, _, most = text.partition(",")
    if int(least) < 1 or int(most or least) < 1:
        raise no("The number of processors must be a positive integer")
    if int(most or least) < int(least):
        raise no("Bad argument for option -n")
    slots = int(least)
    ptile = ptile_of(options.get("R", (0, []))[1])
    each = slots if ptile in (None, -1) else min(ptile, slots)
    nodes = -(-slots // each)
    if nodes > batch.node_count():
        raise no("Too many processors requested")
    return nodes, each


def condition_of(text):
    """CR "-w": done|ended|exit|started(job), &&, ||, !, parentheses; a job must exist."""
    tokens = re.findall(r"&&|\|\||[!()]|\"[^\"]*\"|[^\s()&|!\"]+|[&|]", text)
    bad = no(f"{text}: Dependency condition syntax error")

    def pop(*wanted):
        if not tokens or (wanted and tokens[0] not in wanted):
            raise bad
        return tokens.pop(0)

    def either():
        parts = [both()]
        while tokens[:1] == ["||"]:
            pop()
            parts.append(both())
        return parts[0] if len(parts) == 1 else ["or"] + parts

    def both():
        parts = [one()]
        while tokens[:1] == ["&&"]:
            pop()
            parts.append(one())
        return parts[0] if len(parts) == 1 else ["and"] + parts

    def one():
        if tokens[:1] == ["!"]:
            pop()
            return ["not", one()]
        if tokens[:1] == ["("]:
            pop()
            inner = either()
            pop(")")
            return inner
        if len(tokens) > 1 and tokens[1] == "(":
            what = pop("done", "ended", "exit", "started")
            pop("(")
            parts = which(pop().strip('"'), what)
            pop(")")
            return parts
        return which(pop().strip('"'), "done")  # CR: a job alone means done()

    def which(job, what):
        found = re.fullmatch(r"(\d+)(?:\[(\d+)\])?", job)
        numbers = [int(found[1])] if found and batch.jobs(int(found[1])) else []
        numbers = numbers or sorted({j["number"] for j in batch.jobs() if j["name"] == job})
        if not numbers:
            raise no(f"{job}: No matching job found")
        return ["and"] + [[what, n, int(found[2]) if found and found[2] else None] for n in numbers]

    tree = either()
    if tokens:
        raise bad
    return tree


def exits_of(text):
    """CR "-Q": [all] [~number ...] | [number ...] [EXCLUDE(number ...)]."""
    plain = re.sub(r"EXCLUDE\(([\d ]+)\)", "", text).split()
    if any(not re.fullmatch(r"all|~?\d+", p) for p in plain) or not text.strip():
        raise no("Bad argument for option -Q")  # wording not known
    chosen = set(range(1, 256)) if "all" in plain else {int(p) for p in plain if p.isdigit()}
    return sorted(chosen - {int(p[1:]) for p in plain if p.startswith("~")})


def signal_of(text):
    name = text if text.startswith("SIG") else f"SIG{text}"
    if not hasattr(signal.Signals, name):
        raise no(f"{text}: Illegal signal value")
    return int(getattr(signal, name))


def bsub(argv):
    options = {}
    try:
        rest = take(options, argv, 2)
        text = None
        if rest:  # CR "job_script": only where LSB_BSUB_PARSE_SCRIPT=Y; else a command
            text = f"#!/bin/sh\n{' '.join(rest)}\n".encode()
        else:
            text = sys.stdin.buffer.read()
            if not read_directives(options, text):
                raise no("No command is specified in the script file")
    except UnicodeDecodeError:
        raise no("Bad argument") from None
    job, indices = job_of({k: v[1] for k, v in options.items()}, options, text)
    number = batch.submit(job, text, indices)
    queue = f"queue <{job['queue']}>" if "q" in options else f"default queue <{job['queue']}>"
    print(f"Job <{number}> is submitted to {queue}.")
    return 0


def job_of(one, options, text):
    for name in ("I", "Ip", "Is", "IS", "K", "pack", "b", "t"):
        if name in one:
            raise Refused(f"bsub: the mock has no -{name}", 70)
    # CR "-q": blanks make a list, of which the first queue that will do is taken.
    wanted = one["q"].split() if "q" in one else batch.queues("normal")
    queue = next((q for q in wanted if q in batch.queues("normal")), None)
    if queue is None:
        raise no(f"{one['q']}: No such queue")
    if len(one.get("P", "")) > 511:  # CR "-P"
        raise no(f"{one['P']}:  project name too long")
    for name in ("o", "oo", "e", "eo"):
        if len(one.get(name, "")) > 4094:  # CR "-o"
            raise no(f"{one[name]}: File name too long")
    if "r" in one and "rn" in one or "o" in one and "oo" in one:
        raise no("Conflicting options")  # wording not known
    if "J" in one:
        name, indices = array_of(one["J"])
    else:  # CR "command": the commands stand in for the name
        name, indices = ";".join(text.decode("utf-8", "replace").splitlines())[:60], None
    nodes, each = layout(options)
    limit = minutes_of(one["W"].partition("/")[0], "Bad RUNLIMIT specification") if "W" in one else None
    warn = []
    if ("wa" in one) != ("wt" in one):
        pass  # CR "-wa": without its time it has no effect
    elif "wa" in one:
        warn = [[minutes_of(one["wt"], "Bad time specification"), signal_of(one["wa"]), "all"]]
    directory = one.get("cwd", os.getcwd())
    many = nodes * each > 1
    # CR "bkill": INT, TERM, KILL, 10 s apart; CF LSB_USE_SEQUENTIAL_SIGNAL: KILL alone for a parallel job.
    end = [signal.SIGKILL] if many else [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
    job = {
        "system": "lsf", "name": name, "queue": queue, "project": one.get("P", "default"),
        "options": one, "nodes": nodes, "ranks": each, "walltime": limit, "warn": warn, "array": bool(indices),
        # CR "-W": SIGUSR2 at the limit, killed ten minutes later.
        "at_limit": [[0, signal.SIGUSR2, "all"]] + [[600 + 10 * i, s, "all"] for i, s in enumerate(end)],
        "at_cancel": [[10 * i, s, "all"] for i, s in enumerate(end)],
        "depend": condition_of(one["w"]) if "w" in one else None, "hold": "H" in one, "rerun": "r" in one,
        "requeue_on": exits_of(one["Q"]) if "Q" in one else [], "cwd": os.path.abspath(directory),
        "environment": dict(os.environ), "append": "oo" not in one, "csm": "nnodes" in one,
        "o": one.get("o", one.get("oo")), "e": one.get("e", one.get("eo")), "report": "N" not in one,
    }  # fmt: skip
    return job, indices


def prepare(job):
    """CF "Environment variables set for job execution"; AD: runs where bsub ran."""
    environment = dict(job["environment"])
    index = job["index"] or 0  # AD "Passing arguments": 0 where there is no array
    slots = [h for h in batch.hosts(job["nodes"]) for _ in range(job["ranks"])]
    if job["csm"]:  # the launch node stands first
        slots = [f"launch-{socket.gethostname()}"] + slots
    counted = [f"{h} {slots.count(h)}" for h in dict.fromkeys(slots)]
    hostfile = batch.state() / "spool" / f"{job['key']}.hosts"
    hostfile.write_text("".join(f"{h}\n" for h in slots), encoding="ascii")
    title = job["name"] + (f"[{index}]" if job["array"] else "")
    environment.update(
        LSB_JOBID=str(job["number"]), LSB_JOBINDEX=str(index), LSB_JOBNAME=title, LSB_QUEUE=job["queue"],
        LSB_HOSTS=" ".join(slots), LSB_MCPU_HOSTS=" ".join(counted), LSB_DJOB_HOSTFILE=str(hostfile),
        LSB_DJOB_NUMPROC=str(len(slots)), LSB_BATCH_JID=name_of(job), LS_SUBCWD=job["cwd"],
        LSB_SUB_HOST=socket.gethostname(), LSB_PROJECT_NAME=job["project"], LSF_ENVDIR="/etc",
        RC_MOCK_JOB=job["key"])  # fmt: skip
    if job["runs"] > 1:
        environment["LSB_RESTART"] = "Y"
    for letter, name in (("o", "output"), ("e", "error")):
        path = job[letter] and job[letter].replace("%J", str(job["number"])).replace("%I", str(index))
        job[name] = os.path.join(job["cwd"], path) if path else None
    argv = [job["script"]] if open(job["script"], "rb").read(2) == b"#!" else ["/bin/sh", job["script"]]
    return argv, environment, job["cwd"] if os.path.isdir(job["cwd"]) else "/tmp"


def epilogue(job, spooled):
    """CR "-N": without it the report of the job stands in the output file, before the output."""
    if not job["report"] or not spooled:
        return
    code = exit_of(job)
    done = "Successfully completed." if code == 0 else f"Exited with exit code {code}."
    if job["result"] == "timeout":
        done = f"TERM_RUNLIMIT: job killed after reaching LSF run time limit.\n{done}"
    if job["result"] == "cancelled":
        done = f"TERM_OWNER: job killed by owner.\n{done}"
    host, rule = socket.gethostname(), "-" * 60
    with open(spooled, "rb") as file:
        output = file.read()
    with open(job["script"], "rb") as file:
        script = file.read().decode("utf-8", "replace")
    report = (f"Sender: LSF System <lsfadmin@{host}>\n"
              f"Subject: Job {name_of(job)}: <{job['name']}> in cluster <mock> {'Done' if code == 0 else 'Exited'}\n\n"
              f"Job <{job['name']}> was submitted from host <{host}> by user <{os.environ.get('USER', 'root')}>.\n"
              f"Your job looked like:\n\n{rule}\n# LSBATCH: User input\n{script}\n{rule}\n\n{done}\n\n"
              "The output (if any) follows:\n\n")  # fmt: skip
    with open(f"{spooled}.new", "wb") as file:
        file.write(report.encode() + output)
    shutil.move(f"{spooled}.new", spooled)


def name_of(job):
    return str(job["number"]) + (f"[{job['index']}]" if job["index"] is not None else "")


def status_of(job):
    """AD "Job states"."""
    if job["state"] == "finished":
        return "DONE" if job["result"] == "ok" else "EXIT"
    return {"running": "RUN", "held": "PSUSP"}.get(job["state"], "PEND")


def exit_of(job):
    """AD "Job exit codes": the script's, or 128 + the signal."""
    status = job["status"]
    return None if status is None else status if status >= 0 else 128 - status


def clock(moment):
    return time.strftime("%b %d %H:%M", time.localtime(moment)) if moment else None


def run_time(job):
    end = job["ended"] if job["state"] == "finished" else time.time()
    return round((end - job["started"]) / batch.second()) if job["started"] else 0


REASONS = {
    "cancelled": "TERM_OWNER: job killed by owner",
    "timeout": "TERM_RUNLIMIT: job killed after reaching LSF run time limit",
    "lost": "TERM_UNKNOWN: unknown",
}
FIELDS = {  # CR "bjobs -o", table of fields; None is shown as -
    "jobid": lambda j: j["number"],
    "jobindex": lambda j: j["index"] or 0,
    "stat": status_of,
    "user": lambda j: os.environ.get("USER", "root"),
    "queue": lambda j: j["queue"],
    "job_name": lambda j: j["name"] + (f"[{j['index']}]" if j["array"] else ""),
    "proj_name": lambda j: j["project"],
    "exit_code": lambda j: exit_of(j) if status_of(j) == "EXIT" else None,
    "exit_reason": lambda j: REASONS.get(j["result"]) if status_of(j) == "EXIT" else None,
    "pend_reason": lambda j: None if status_of(j) != "PEND" else
        "Job dependency condition not satisfied;" if j["waiting"] else "New job is waiting for scheduling;",
    "from_host": lambda j: socket.gethostname(),
    "exec_host": lambda j: ":".join(f"{j['ranks']}*{h}" for h in batch.hosts(j["nodes"])) if j["runs"] else None,
    "nexec_host": lambda j: j["nodes"] if j["runs"] else None,
    "slots": lambda j: j["nodes"] * j["ranks"],
    "submit_time": lambda j: clock(j["submitted"]),
    "start_time": lambda j: clock(j["started"]),
    "finish_time": lambda j: clock(j["ended"]),
    "run_time": lambda j: f"{run_time(j)} second(s)",
    "runtimelimit": lambda j: f"{j['walltime'] / 60:.1f}/{socket.gethostname()}" if j["walltime"] else None,
    "output_file": lambda j: j["o"],
    "sub_cwd": lambda j: j["cwd"],
    "dependency": lambda j: j["options"].get("w"),
}  # fmt: skip
ALIASES = {"id": "jobid", "name": "job_name", "proj": "proj_name"}
WIDTHS = {"jobid": 7, "stat": 5, "queue": 10, "job_name": 10, "exit_code": 10, "user": 7}


def find(text):
    found = re.fullmatch(r"(\d+)(?:\[(\d+)\])?", text)
    if not found:
        raise Refused(f"{text}: Illegal job ID.", NEEDED)
    parts = [j for j in batch.jobs(int(found[1])) if j["system"] == "lsf" and found[2] in (None, str(j["index"]))]
    over = parts and all(j["state"] == "finished" for j in parts)
    return [] if over and os.environ.get("RC_MOCK_HISTORY", "1") == "0" else parts


def bjobs(argv):
    """CR "bjobs": -o, -noheader, -json, -a and job numbers."""
    shape, header, as_json, numbers, every = "jobid stat queue job_name", True, False, [], False
    words = list(argv)
    while words:
        word = words.pop(0)
        if word == "-o" and words:
            shape = words.pop(0)
        elif word == "-noheader":
            header = False
        elif word == "-json":
            as_json = True
        elif word == "-a":
            every = True
        elif re.match(r"\d", word):
            numbers.append(word)
        else:
            raise Refused(f"bjobs: illegal option -- {word.lstrip('-')}", NEEDED)  # wording not known
    rows, errors = [], []
    for text in numbers or [str(n) for n in dict.fromkeys(j["number"] for j in batch.jobs())]:
        parts = find(text)
        if not parts:
            errors.append((text, f"Job <{text}> is not found"))
        rows += [j for j in parts if numbers or every or j["state"] != "finished"]
    if as_json:
        return print_json(shape, rows, errors)
    print_rows(shape, header, rows)
    for _, error in errors:
        print(error, file=sys.stderr)
    if not rows and not errors:
        print("No unfinished job found", file=sys.stderr)
    return NEEDED if errors else 0


def fields_of(shape):
    """CR "bjobs -o": field[:[-][width]] ... [delimiter='character']."""
    delimiter, found = " ", re.search(r"delimiter=(['\"])(.*)\1", shape)
    if found:
        delimiter, shape = found[2], shape.replace(found[0], "")
        if len(delimiter) != 1:
            raise Refused("The delimiter must be a single character", NEEDED)  # wording not known
    fields = []
    for word in shape.split():
        one = re.fullmatch(r"(\w+)(?::(-?)(\d*))?", word.lower())
        name = one and ALIASES.get(one[1], one[1])
        if name not in FIELDS:
            raise Refused(f"Unknown output field <{word}>", NEEDED)  # wording not known
        width = None if one[3] is None else int(one[3] or WIDTHS.get(name, 10))
        fields.append((name, width, one[2] == "-"))
    return delimiter, fields


def print_rows(shape, header, rows):
    delimiter, fields = fields_of(shape)
    lines = [[n.upper() for n, _, _ in fields]] if header and rows else []
    lines += [[str(v) if (v := FIELDS[n](j)) is not None else "-" for n, _, _ in fields] for j in rows]
    for line in lines:
        cells = []
        for text, (_, width, right) in zip(line, fields):
            side = ">" if right else "<"
            cells.append(text if width is None else f"{text[:width]:{side}{width}}")
        print(delimiter.join(cells))


def print_json(shape, rows, errors):
    names = [n for n, _, _ in fields_of(shape)[1]]
    records = [{n.upper(): "" if (v := FIELDS[n](j)) is None else str(v) for n in names} for j in rows]
    records += [{"JOBID": text, "ERROR": error} for text, error in errors]
    print(json.dumps({"COMMAND": "bjobs", "JOBS": len(records), "RECORDS": records}, indent=2))
    return NEEDED if errors else 0


def act(argv, flags, ask, said):
    """bkill and brequeue: a sentence for each job; 255 where one fails."""
    numbers = [w for w in argv if re.match(r"\d", w)]
    if not numbers or any(w not in flags for w in argv if w not in numbers):
        raise Refused("Job ID or an option of the manual expected", NEEDED)  # wording not known
    status = 0
    for text in numbers:
        parts = find(text)
        error = "No matching job found" if not parts else None
        if parts and all(j["state"] == "finished" for j in parts):
            error = "Job has already finished"
        if error:
            print(f"Job <{text}>: {error}", file=sys.stderr)
            status = NEEDED
            continue
        for job in parts:
            batch.ask(job["key"], **ask)
        print(f"Job <{text}> is being {said}")
    return status


def bkill(argv):
    """CR "bkill": also -s SIGNAL."""
    if argv[:1] == ["-s"] and len(argv) > 2:
        return act(argv[2:], (), {"signal": signal_of(argv[1])}, "signaled")
    return act(argv, ("-r",), {"cancel": True}, "terminated")


def brequeue(argv):
    """CR "brequeue": kills a running job and puts it back under the same number."""
    return act(argv, ("-d", "-e", "-r"), {"requeue": True}, "requeued")


def command(name, argv):
    if argv == ["-V"]:
        print("IBM Spectrum LSF Standard 10.1.0.13 (mock)", file=sys.stderr)
        return 0
    return {"bsub": bsub, "bjobs": bjobs, "bkill": bkill, "brequeue": brequeue}[name](argv)
