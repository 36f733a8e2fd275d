"""pbs.py - qsub, qstat, qdel, qrerun and pbsnodes of OpenPBS / PBS Professional.

Sources: the manual pages qsub(1B), qstat(1B), qdel(1B), pbs_job_attributes(7B),
pbs_resources(7B) of OpenPBS; the PBS Professional Reference Guide ("RG") and User's
Guide ("UG"); where they leave a case open, what qsub.c, qsub_sup.c, check_job_script.c,
ck_job_name.c, chk_Jrange.c, parse_equal.c and ecl_verify_values.c of OpenPBS do.
Errors of the server end a command with the last eight bits of their number.
"""
import getopt
import getpass
import json
import os
import re
import signal
import socket
import sys
import time

import batch
from batch import Refused

SERVER = "mock"
USAGE = """usage: qsub [-a date_time] [-A account_string] [-c interval]
\t[-C directive_prefix] [-e path] [-f ] [-h ] [-I [-X]] [-j oe|eo] [-J X-Y[:Z]]
\t[-k keep] [-l resource_list] [-m mail_options] [-M user_list]
\t[-N jobname] [-o path] [-p priority] [-P project] [-q queue] [-r y|n]
\t[-R o|e|oe] [-S path] [-u user_list] [-W otherattributes=value...]
\t[-v variable_list] [-V ] [-z] [script | -- command [arg1 ...]]"""
OPTIONS = "a:A:c:C:e:fhIj:J:k:l:m:M:N:o:p:q:r:R:S:u:v:VW:XzP:"  # qsub_sup.c
# RG "Error codes": number % 256 is the status of the command.
UNKNOWN_JOB, UNKNOWN_ATTRIBUTE, PERMISSION, BAD_VALUE, UNKNOWN_QUEUE, UNKNOWN_RESOURCE, FINISHED = (
    n % 256 for n in (15001, 15002, 15007, 15014, 15018, 15035, 15139))
KILL_DELAY = 10  # RG, queue attribute kill_delay: 10 seconds by default


def illegal(letter):
    """qsub.c: an attribute that fails its check names its option, then the usage."""
    return Refused(f"qsub: illegal -{letter} value\n{USAGE}", 2)


def words_of(line):
    """A directive's words, as make_argv() of qsub.c makes them.

    Blanks separate; '...' and "..." keep all but their own quote, with no escapes in
    them; outside of them a backslash keeps the next character.
    """
    words, word, begun, i = [], "", False, 0
    while i < len(line):
        c = line[i]
        if c in "\"'":
            end = line.find(c, i + 1)
            if end < 0:
                raise Refused("qsub: unmatched \0", 1)  # it prints the end of the line
            word, begun, i = word + line[i + 1 : end], True, end + 1
        elif c == "\\":
            word, begun, i = word + line[i + 1 : i + 2], True, i + 2
        elif c.isspace():
            words, word, begun, i = words + [word] if begun else words, "", False, i + 1
        else:
            word, begun, i = word + c, True, i + 1
    return words + [word] if begun else words


def take(options, words, mine):
    """Puts options into the table; those of a higher rank ('mine') stay."""
    try:
        pairs, rest = getopt.gnu_getopt(words, OPTIONS)
    except getopt.GetoptError as error:
        letter = error.opt[:1]
        what = "option requires an argument" if "requires" in error.msg else "invalid option"
        raise Refused(f"qsub: {what} -- '{letter}'", 1) from None
    for name, value in pairs:
        letter = name[1]
        if letter == "r" and value not in ("y", "n"):
            raise Refused("qsub: illegal -r value", 1)  # qsub.c, process_opts()
        if letter in "lWv":
            options.setdefault(letter, [])
            options[letter] += [(mine, value)]
        elif options.get(letter, (-1, ""))[0] <= mine:
            options[letter] = (mine, value)
    rerun = options.get("r", (0, "y"))[1]
    if rerun == "n" and "J" in options:
        raise Refused("qsub:  cannot submit non-rerunable Array Job", 1)
    return rest


def read_directives(options, text):
    """qsub(1B) "-C"; get_script() of qsub_sup.c.

    Directives stand before the first line that is neither empty nor a comment; blanks
    may stand before #PBS; a backslash at the end takes the next line along.  A word
    that is no option, a comment after the options also, is an error of the directive.
    Returns the script as it is kept: with continued directives as one line.
    """
    prefix = options["C"][1] if "C" in options else os.environ.get("PBS_DPREFIX", "#PBS")
    lines = text.decode("utf-8", "surrogateescape").split("\n")
    stored = []
    while lines:
        line = lines.pop(0)
        bare = line.lstrip()
        if prefix and bare.startswith(prefix):
            while line.endswith("\\") and lines:
                line = line[:-1] + lines.pop(0)
            words = words_of(line.lstrip()[len(prefix) :])
            said = "qsub: directive error: " + "".join(w + " " for w in words)
            try:
                rest = take(options, words, 2)
            except Refused as refused:
                raise Refused(f"{refused.text}\n{said}", 1) from None
            if rest:
                raise Refused(said, 1)
        elif bare and not bare.startswith("#") and not line.startswith(":"):
            stored += [line] + lines
            break
        stored.append(line)
    return "\n".join(stored).encode("utf-8", "surrogateescape")


def check_name(name):
    """RG "Formats", Job Name: at most 230 of letters, digits, + - _ and dot."""
    if not re.fullmatch(r"[A-Za-z0-9+_-][A-Za-z0-9+._-]{0,229}", name):
        raise illegal("N")


def check_array(text):
    """chk_Jrange.c: X-Y[:Z], X < Y; an array of one is refused."""
    found = re.fullmatch(r"(\d+)-(\d+)(?::(\d+))?(?:%(\d+))?", text)
    if not found or int(found[2]) <= int(found[1]) or found[3] == "0":
        raise illegal("J")
    indices = list(range(int(found[1]), int(found[2]) + 1, int(found[3] or 1)))
    if len(indices) > 10000:  # RG, server attribute max_array_size
        raise Refused("qsub: Array job exceeds server or queue size limit", 15131 % 256)
    return indices


def seconds_of(text):
    """RG "Formats", Duration: [[hours:]minutes:]seconds[.milliseconds]."""
    if not re.fullmatch(r"(\d+:){0,2}\d+(\.\d{1,3})?", text):
        raise Refused("qsub: Illegal attribute or resource value Resource_List.walltime", BAD_VALUE)
    parts = [float(p) for p in text.split(":")]
    return sum(p * 60**i for i, p in enumerate(reversed(parts)))


CHUNK = {  # pbs_resources(7B), "Built-in resources", those of a host
    "ncpus": r"\d+", "mpiprocs": r"\d+", "ompthreads": r"\d+", "ngpus": r"\d+", "naccelerators": r"\d+",
    "mem": r"\d+[bwBW]?|\d+[kmgtpKMGTP][bwBW]", "vmem": r"\d+[bwBW]?|\d+[kmgtpKMGTP][bwBW]",
    "host": r"[\w.-]+", "vnode": r"[\w.\[\]-]+", "arch": r"\w+"}  # fmt: skip


def chunks_of(select):
    """qsub(1B) "Requesting resources": [N:]name=value[:name=value...][+...]."""
    chunks, bad = [], Refused("qsub: Illegal attribute or resource value Resource_List.select", BAD_VALUE)
    for chunk in select.split("+"):
        parts = chunk.split(":")
        count = int(parts.pop(0)) if re.fullmatch(r"\d+", parts[0]) else 1
        values = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals or name in values:
                raise bad
            if name not in CHUNK:
                raise Refused(f"qsub: Unknown resource Resource_List.{name}", UNKNOWN_RESOURCE)
            if not re.fullmatch(CHUNK[name], value):
                raise bad
            values[name] = value
        if count < 1 or not (parts or select.isdigit() or count):
            raise bad
        chunks.append((count, int(values.get("mpiprocs", "1")), int(values.get("ncpus", "1"))))
    return chunks


PLACE = r"(free|pack|scatter|vscatter)?(:?(excl|shared|exclhost))?(:?group=\w+)?"  # qsub(1B)
JOB_WIDE = ("walltime", "cput", "pcput", "mem", "vmem", "pmem", "pvmem", "ncpus", "nodes", "file", "nice",
            "software", "min_walltime", "max_walltime", "soft_walltime", "preempt_targets")  # fmt: skip


def resources_of(requests):
    """Every -l of the command line, then those of the script not yet given."""
    found, bad = {}, Refused("qsub: illegal -l value", 2)
    for rank, text in sorted(requests, key=lambda r: -r[0]):
        for item in text.split(","):
            name, equals, value = item.strip().partition("=")
            if not name or not equals or not value or " " in value:
                raise bad
            if name not in JOB_WIDE + ("select", "place"):
                raise Refused(f"qsub: Unknown resource Resource_List.{name}", UNKNOWN_RESOURCE)
            if rank == 3 or name not in found:
                found[name] = value
    if "select" in found and ("nodes" in found or "ncpus" in found):
        # qsub(1B): mixing old and new is an error.  Wording not known.
        raise Refused("qsub: Illegal attribute or resource value Resource_List.select", BAD_VALUE)
    if not re.fullmatch(PLACE, found.get("place", "free")) or found.get("place", "free").startswith(":"):
        raise Refused("qsub: Illegal attribute or resource value Resource_List.place", BAD_VALUE)
    return found


def additional(texts):
    """-W name=value[,name=value...]: parse_equal_string() of parse_equal.c."""
    found = {}
    for rank, text in sorted(texts, key=lambda t: t[0]):
        for part in re.split(r",(?=[A-Za-z_]+\s*=)", text.strip()):
            name, equals, value = part.partition("=")
            name, value = name.strip(), value.strip()
            if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
                value = value[1:-1]
            if not equals or not name or not value or value.endswith(","):
                raise Refused("qsub: illegal -W value", 2)
            if name not in ATTRIBUTES:
                raise Refused("qsub: Undefined attribute", UNKNOWN_ATTRIBUTE)
            found[name] = (rank, value)
    return {n: v for n, (_, v) in found.items()}


ATTRIBUTES = ("depend", "umask", "block", "group_list", "sandbox", "stagein", "stageout", "run_count",
              "max_run_subjobs", "tolerate_node_failures", "release_nodes_on_stageout")  # fmt: skip


def identifier(text, command):
    """qstat(1B) OPERANDS: sequence[.server], sequence[][.server], sequence[index][.server]."""
    found = re.fullmatch(r"(\d+)(\[(\d*)\])?(\.[\w.-]+)?", text)
    if not found or found[4] not in (None, f".{SERVER}"):
        raise Refused(f"{command}: illegally formed job identifier: {text}", 1)
    return int(found[1]), None if not found[2] else found[3]


def depend_of(text):
    """qsub(1B) "-W depend": type:id[:id...][,type:id...].

    That a job is not there is found later: the new job is then deleted.
    """
    parts = ["and"]
    for one in text.split(","):
        kind, *ids = one.strip().split(":")
        if kind in ("on", "before", "beforeany", "beforeok", "beforenotok", "runone"):
            raise Refused(f"qsub: the mock has no dependency '{kind}'", 70)
        if kind not in ("after", "afterok", "afternotok", "afterany") or not ids:
            raise illegal("W")
        for each in ids:
            try:
                number, index = identifier(each, "qsub")
            except Refused:
                raise illegal("W") from None
            parts.append([kind, number, int(index) if index else None])
    return parts


def path_of(text, default, number):
    """qsub(1B) "-o path": relative to where qsub runs; without a file name jobid.OU."""
    path = text.partition(":")[2] if re.match(r"[\w.-]+:", text) else text
    path = os.path.join(os.getcwd(), path or ".")
    return os.path.join(path, default) if os.path.isdir(path) or path.endswith("/") else path


def qsub(argv):
    options = {}
    try:
        pairs = getopt.getopt(argv, OPTIONS)[1] if "--" not in argv else argv[argv.index("--") :]
        take(options, argv[: len(argv) - len(pairs)], 3)
    except getopt.GetoptError as error:
        raise Refused(f"qsub: invalid option -- '{error.opt}'\n{USAGE}", 2) from None
    except Refused as refused:
        raise Refused(f"{refused.text}\n{USAGE}", 2) from None
    if pairs[:1] == ["--"] or len(pairs) > 1:  # a command instead of a script is not of use here
        raise Refused(USAGE, 2)
    name, text = "STDIN", None
    if pairs and pairs[0] != "-":
        name = os.path.basename(pairs[0])
        if not os.path.exists(pairs[0]):
            raise Refused("qsub: script file:: No such file or directory", 1)
        if not os.path.isfile(pairs[0]):
            raise Refused("qsub: script not a file", 1)
        with open(pairs[0], "rb") as file:
            text = file.read()
    else:
        text = sys.stdin.buffer.read()
    text = read_directives(options, text)
    job, indices = job_of(options, name)
    number = batch.submit(job, text, indices)
    if "z" not in options:
        print(f"{number}{'[]' if indices else ''}.{SERVER}")
    return 0


def job_of(options, name):
    """The job that the options ask for; refuses what qsub or the server would."""
    one = {letter: value[1] for letter, value in options.items() if letter not in "lWv"}
    for letter in "IX":
        if letter in one:
            raise Refused("qsub: the mock has no interactive jobs", 70)
    check_name(one.get("N", name))
    check_letters(one)
    indices = check_array(one["J"]) if "J" in one else None
    wide = resources_of(options.get("l", []))
    chunks = chunks_of(wide.get("select", "1"))
    extra = additional(options.get("W", []))
    queue = one.get("q", batch.queues("workq")[0]).partition("@")[0]
    if queue not in batch.queues("workq"):
        raise Refused("qsub: Unknown queue", UNKNOWN_QUEUE)  # UG "Submitting a job to a queue"
    job = {
        "system": "pbs", "name": one.get("N", name), "queue": queue,
        "account": one.get("A"), "options": {k: v for k, v in options.items()}, "parsed": {**wide, **extra},
        "chunks": chunks, "nodes": sum(c[0] for c in chunks), "ranks": chunks[0][1],
        "walltime": seconds_of(wide["walltime"]) if "walltime" in wide else None,
        "depend": depend_of(extra["depend"]) if "depend" in extra else None,
        "hold": "h" in one, "rerun": one.get("r", "y") == "y", "shell": one.get("S"),
        "environment": environment_of(options), "cwd": os.getcwd(), "direct": "d" in one.get("k", ""),
        "join": one.get("j", "n"), "o": one.get("o"), "e": one.get("e"), "array": bool(indices),
        "at_limit": [[0, signal.SIGTERM, "all"], [KILL_DELAY, signal.SIGKILL, "all"]],
        "at_cancel": [[0, signal.SIGTERM, "all"], [KILL_DELAY, signal.SIGKILL, "all"]],
    }  # fmt: skip
    return job, indices


def check_letters(one):
    """Options of one word, as ecl_verify_values.c checks them."""
    if "A" in one and not one["A"]:
        raise illegal("A")
    if one.get("j", "n") not in ("oe", "eo", "n"):
        raise illegal("j")
    if not re.fullmatch(r"n|[oed]*[oe][oed]*", one.get("k", "n")):
        raise illegal("k")
    if not re.fullmatch(r"n|[abe]+", one.get("m", "a").strip()):
        raise illegal("m")
    if not re.fullmatch(r"[+-]?\d+", one.get("p", "0")) or abs(int(one.get("p", "0"))) > 1024:
        raise illegal("p")
    if re.search(r'[/\[\]";:|<>+,?*]', one.get("P", "")):  # qsub(1B) "-P project"
        raise illegal("P")
    if not one.get("S", "/").startswith("/"):
        raise illegal("S")
    if not re.fullmatch(r"[A-Za-z0-9_][\w.-]{0,14}(@[\w.-]+)?", one.get("q", "workq")):
        raise Refused(f"qsub: illegally formed destination: {one['q']}", 2)
    for letter in "oe":
        if letter in one and not one[letter]:
            raise illegal(letter)


def environment_of(options):
    """qsub(1B) ENVIRONMENT VARIABLES: PBS_O_*, -v and -V; nothing else comes along."""
    names = ("HOME", "LANG", "LOGNAME", "PATH", "MAIL", "SHELL", "TZ")
    found = {f"PBS_O_{n}": os.environ[n] for n in names if n in os.environ}
    found.update(PBS_O_HOST=socket.gethostname(), PBS_O_WORKDIR=os.getcwd(), PBS_O_SYSTEM="Linux")
    if "V" in options:
        found = {**os.environ, **found}
    for _, text in options.get("v", []):
        for item in re.findall(r"((?:\\.|'[^']*'|\"[^\"]*\"|[^,])+)", text):
            name, equals, value = item.strip().partition("=")
            if not equals and name not in os.environ:
                raise Refused("qsub: cannot send environment with the job", 1)
            value = value if equals else os.environ[name]
            found[name] = value[1:-1] if re.fullmatch(r"'.*'|\".*\"", value) else value
    return found


def prepare(job):
    """How the MoM starts a job.  UG "Execution": a login shell in the home directory.

    The environment is that of the login, not that of qsub.  Here the profile files are
    not read; PATH keeps what a test put there, and what MPI needs to run as root stays.
    """
    tag = name_of(job)
    keep = ("RC_MOCK_", "OMPI_", "ASAN_", "LSAN_", "UBSAN_")
    home = os.environ.get("HOME", "/")
    environment = {n: v for n, v in os.environ.items() if n.startswith(keep)}
    environment.update(HOME=home, PATH=os.environ["PATH"], SHELL="/bin/bash", USER=getpass.getuser())
    environment.update(LOGNAME=getpass.getuser(), TMPDIR=os.environ.get("TMPDIR", "/tmp"))
    environment.update(job["environment"])
    nodefile = batch.state() / "spool" / f"{job['key']}.nodes"
    nodefile.write_text("".join(f"{h}\n" for h in rank_hosts(job)), encoding="ascii")
    environment.update(PBS_JOBID=tag, PBS_JOBNAME=job["name"], PBS_NODEFILE=str(nodefile), PBS_JOBDIR=home,
                       PBS_QUEUE=job["queue"], PBS_O_QUEUE=job["queue"], PBS_ENVIRONMENT="PBS_BATCH",
                       NCPUS=str(job["chunks"][0][2]), PBS_NODENUM="0", PBS_TASKNUM="1")  # fmt: skip
    if job["index"] is not None:  # UG "Job arrays", environment variables
        environment.update(PBS_ARRAY_INDEX=str(job["index"]), PBS_ARRAY_ID=f"{job['number']}[].{SERVER}")
    set_paths(job, tag)
    # The shell is given the name of the script: its '#!' is obeyed.
    return [job["shell"] or "/bin/bash", "-c", job["script"]], environment, home


def rank_hosts(job):
    """UG "PBS_NODEFILE": one line for each MPI process, chunk by chunk."""
    names = iter(batch.hosts(job["nodes"]))
    return [h for count, procs, _ in job["chunks"] for _ in range(count) for h in [next(names)] * procs]


def set_paths(job, tag):
    """qsub(1B) "-o", "-e", "-j"; UG "Job arrays": name.oSEQUENCE.INDEX, ^array_index^."""
    suffix = str(job["number"]) + ("" if job["index"] is None else f".{job['index']}")
    paths = {}
    for letter, ending in (("o", "OU"), ("e", "ER")):
        path = job[letter] or f"{job['name']}.{letter}{suffix}"
        path = path.replace("^array_index^", str(job["index"]))
        path = path.partition(":")[2] if re.match(r"[\w.-]+:", path) else path
        path = os.path.join(job["cwd"], path)
        paths[letter] = os.path.join(path, f"{tag}.{ending}") if os.path.isdir(path) else path
    joined = {"oe": "o", "eo": "e"}.get(job["join"])
    job["output"], job["error"] = (paths[joined], None) if joined else (paths["o"], paths["e"])


def limit_reached(job):
    """The MoM writes this to the standard error of the job, then ends it."""
    where = job["error"] or job["output"]
    if not job["direct"]:
        where = str(batch.state() / "spool" / f"{job['key']}.{'error' if job['error'] else 'output'}")
    used = round((time.time() - job["started"]) / batch.second())
    with open(where, "a", encoding="ascii") as file:
        file.write(f"=>> PBS: job killed: walltime {used} exceeded limit {round(job['walltime'])}\n")


def name_of(job):
    index = "" if job["index"] is None else f"[{job['index']}]"
    return f"{job['number']}{index}.{SERVER}"


def letter_of(job):
    """pbs_job_attributes(7B), job_state."""
    if job["state"] == "finished":
        return "F" if job["index"] is None else "X"
    if job["state"] == "running":
        return "R"
    return "H" if job["state"] == "held" or job["waiting"] else "Q"


def exit_of(job):
    """RG "Job exit status codes": the script's; 256 + a signal; below 0 the MoM's reason."""
    if job["result"] == "timeout":
        return -29  # JOB_EXEC_KILL_WALLTIME
    if job["status"] is None:
        return None
    return job["status"] if job["status"] >= 0 else 256 - job["status"]


def clock(moment):
    return time.strftime("%a %b %d %H:%M:%S %Y", time.localtime(moment))


def full(job):
    """The attributes of a job, those that a reader of -f may look at."""
    host = socket.gethostname()
    if job["output"] is None:
        set_paths(job, name_of(job))
    resources = {"nodect": job["nodes"], **{k: v for k, v in job["parsed"].items() if k not in ATTRIBUTES}}
    found = {
        "Job_Name": job["name"], "Job_Owner": f"{getpass.getuser()}@{host}", "job_state": letter_of(job),
        "queue": job["queue"], "server": SERVER, "Checkpoint": "u", "ctime": clock(job["submitted"]),
        "Hold_Types": {"H": "u" if job["hold"] else "s"}.get(letter_of(job), "n"), "Join_Path": job["join"],
        "Keep_Files": "n", "Mail_Points": "a", "mtime": clock(job["ended"] or job["submitted"]),
        "Output_Path": f"{host}:{job['output']}", "Priority": 0, "qtime": clock(job["submitted"]),
        "Rerunable": str(job["rerun"]), "Resource_List": resources,
        "Variable_List": job["environment"], "run_count": job["runs"],
    }  # fmt: skip
    if job["account"]:
        found["Account_Name"] = job["account"]
    if job["started"]:
        found["stime"] = clock(job["started"])
        found["exec_host"] = "+".join(f"{h}/{i}" for i, h in enumerate(batch.hosts(job["nodes"])))
        found["comment"] = f"Job run at {clock(job['started'])} on ({found['exec_host']})"
    if job["state"] == "finished":
        found["substate"] = {"ok": 92, "cancelled": 91}.get(job["result"], 93)
        found["history_timestamp"] = int(job["ended"])
        if job["runs"]:
            found["comment"] += " and " + ("finished" if job["result"] == "ok" else "failed")
            found["Exit_status"] = exit_of(job)
    if job["index"] is not None:
        found.update(array_id=f"{job['number']}[].{SERVER}", array_index=job["index"])
    return found


def parent(parts):
    """The array itself: state B once an element has begun, F when all are over."""
    found = full(parts[0])
    letters = {letter_of(j) for j in parts}
    over = letters == {"X"}
    found.update(job_state="F" if over else "B" if letters & {"R", "X", "E"} else letter_of(parts[0]), array="True")
    for name in ("array_id", "array_index", "exec_host", "Exit_status"):
        found.pop(name, None)
    if over:
        found["Exit_status"] = int(any(exit_of(j) != 0 for j in parts))
    return found


def find(text, command, history):
    """(name, attributes) of the job, or what qstat says where there is none."""
    number, index = identifier(text, command)
    parts = batch.jobs(number)
    chosen = [j for j in parts if index in (None, "") or j["index"] == int(index)]
    arrayed = bool(parts) and parts[0]["array"]
    kept = os.environ.get("RC_MOCK_HISTORY", "1") != "0"
    over = all(j["state"] == "finished" for j in parts if not index or j["index"] == int(index))
    if not chosen or arrayed != (index is not None) or (over and not kept):
        raise Refused(f"{command}: Unknown Job Id {text}" + ("" if "." in text else f".{SERVER}"), UNKNOWN_JOB)
    if over and not history:
        if command == "qdel":
            raise Refused(f"qdel: Job has finished {text}", FINISHED)
        whole = text if "." in text else f"{text}.{SERVER}"
        raise Refused(f"{command}: {whole} Job has finished, use -x or -H to obtain historical job information",
                      FINISHED)  # fmt: skip
    name = f"{number}[].{SERVER}" if index == "" else name_of(chosen[0])
    return name, parent(chosen) if index == "" else full(chosen[0]), chosen


def qstat(argv):
    """qstat(1B): -f, -x, -F json, -t; the short form for others."""
    try:
        pairs, operands = getopt.getopt(argv, "fxtJF:w")
    except getopt.GetoptError as error:
        raise Refused(f"qstat: invalid option -- '{error.opt}'", 2) from None
    options = dict(pairs)
    if options.get("-F", "json") not in ("json", "dsv") or ("-F" in options and "-f" not in options):
        raise Refused("qstat: illegal -F value", 2)  # wording not known
    if not operands:
        rows = [f"{j['number']}[]" if j["array"] else str(j["number"]) for j in batch.jobs()]
        operands = list(dict.fromkeys(rows))
    found, failed = {}, None
    for text in operands:
        try:
            name, attributes, parts = find(text, "qstat", "-x" in options)
            found[name] = attributes
            if "-t" in options and "[]" in name:
                found.update({name_of(j): full(j) for j in parts})
        except Refused as refused:
            failed = refused
            print(refused.text, file=sys.stderr)
    show(found, options)
    return failed.status if failed else 0


def show(found, options):
    if "-f" in options and "-F" in options:
        document = {"timestamp": int(time.time()), "pbs_version": "23.06.06", "pbs_server": SERVER}
        if found:
            document["Jobs"] = found
        print(json.dumps(document, indent=4, separators=(",", ":")))
    elif "-f" in options:
        for name, attributes in found.items():
            print(f"Job Id: {name}")
            for key, value in attributes.items():
                rows = {f"{key}.{k}": v for k, v in value.items()} if key == "Resource_List" else {key: value}
                print("".join(f"    {k} = {v}\n" for k, v in rows.items()), end="")
            print()
    elif found:
        print("Job id            Name             User              Time Use S Queue")
        print("----------------  ---------------- ----------------  -------- - -----")
        for name, a in found.items():
            owner = a["Job_Owner"].partition("@")[0]
            print(f"{name:<16.16}  {a['Job_Name']:<16.15} {owner:<16.15}  00:00:00 {a['job_state']} {a['queue']}")


def qdel(argv):
    """qdel(1B): SIGTERM, then SIGKILL to what is left; a queued job just goes."""
    pairs, operands = getopt.getopt(argv, "xW:")
    if not operands:
        raise Refused("usage:\n\tqdel [-W force|suppress_email=X] [-x] job_identifier...\n\tqdel --version", 2)
    failed = None
    for text in operands:
        try:
            for job in find(text, "qdel", ("-x", "") in pairs)[2]:
                batch.ask(job["key"], cancel=True)
        except Refused as refused:
            failed = refused
            print(refused.text, file=sys.stderr)
    return failed.status if failed else 0


def qrerun(argv):
    """qrerun(1B): needs Operator or Manager, so a job cannot requeue itself with it."""
    name, _, _ = find(argv[0], "qrerun", False)
    raise Refused(f"qrerun: Unauthorized Request  {name}", PERMISSION)


def pbsnodes(argv):
    if argv != ["-a"]:
        raise Refused("usage: pbsnodes -a", 1)
    for host in batch.hosts(batch.node_count()):
        print(f"{host}\n     state = free\n     resources_available.ncpus = {os.cpu_count()}\n")
    return 0


def command(name, argv):
    if argv == ["--version"]:
        print("pbs_version = 23.06.06")
        return 0
    return {"qsub": qsub, "qstat": qstat, "qdel": qdel, "qrerun": qrerun, "pbsnodes": pbsnodes}[name](argv)
