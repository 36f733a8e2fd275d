# man5.awk - a page of docs/formats/ as a man page of section 5, in the man(7) macros of troff:
#   awk -v name=rollcall-journal -v version=0.1 -f man5.awk journal.md
# Headings, paragraphs, lists, tables (a row is a tagged paragraph) and blocks of code; links keep their words.

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# Words between marks are bold or slanted; what is code is bold, and nothing in it is a mark.
function inline(text,    out, part, n, i) {
    while (match(text, /\[[^][]*\]\([^()]*\)/)) {
        part = substr(text, RSTART + 1, index(substr(text, RSTART), "](") - 2)
        text = substr(text, 1, RSTART - 1) part substr(text, RSTART + RLENGTH)
    }
    n = split(text, piece, "`")
    out = ""
    for (i = 1; i <= n; i++) {
        part = escaped(piece[i])
        if (i % 2 == 0)
            out = out "\\fB" part "\\fR"
        else {
            while (match(part, /\*\*[^*]+\*\*/))
                part = substr(part, 1, RSTART - 1) "\\fB" substr(part, RSTART + 2, RLENGTH - 4) "\\fR" \
                    substr(part, RSTART + RLENGTH)
            while (match(part, /\*[^* ][^*]*\*/))
                part = substr(part, 1, RSTART - 1) "\\fI" substr(part, RSTART + 1, RLENGTH - 2) "\\fR" \
                    substr(part, RSTART + RLENGTH)
            out = out part
        }
    }
    return out
}

function line(text) {
    print (text ~ /^[.']/ ? "\\&" : "") text
}

function end_block() {
    if (code)
        print ".fi\n.RE"
    code = 0
}

function end_table() {
    table = 0
}

# "| a | b \| c |": the first cell is the tag, the others are its text.
function row(text,    n, i, rest) {
    gsub(/\\\|/, "\001", text)
    sub(/^\| */, "", text)
    sub(/ *\| *$/, "", text)
    n = split(text, cell, / *\| */)
    if (text ~ /^[-:| ]+$/)
        return
    if (++table == 1) {
        heads = n
        return
    }
    rest = ""
    for (i = 2; i <= n; i++)
        if (cell[i] != "")
            rest = rest (rest == "" ? "" : "; ") cell[i]
    gsub(/\001/, "|", cell[1])
    gsub(/\001/, "|", rest)
    print ".TP"
    line(cell[1] == "" ? "\\&" : inline(cell[1]))
    line(rest == "" ? "\\&" : inline(rest))
}

BEGIN {
    printf ".TH \"%s\" 5 \"\" \"rollcall %s\" \"rollcall\"\n", toupper(escaped(name)), version
}

/^```/ || (/^    / && !listed && !code && blank) {
    if (/^```/ && fenced) {
        fenced = 0
        end_block()
        next
    }
    end_table()
    if (!code)
        print ".PP\n.RS 4\n.nf"
    code = 1
    if (/^```/) {
        fenced = 1
        next
    }
}
code && (fenced || /^    / || /^$/) {
    text = $0
    if (!fenced)
        sub(/^    /, "", text)
    line(escaped(text))
    next
}
code { end_block() }

/^# / {
    title = substr($0, 3)
    printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", escaped(name), inline(tolower(substr(title, 1, 1)) substr(title, 2))
    blank = listed = 0
    next
}
/^##+ / {
    end_table()
    listed = 0
    text = $0
    level = match(text, /[^#]/) - 1
    sub(/^#+ /, "", text)
    print (level > 2 ? ".SS " : ".SH ") inline(text)
    blank = 0
    next
}
/^\|/ {
    row($0)
    blank = 0
    next
}
/^ *$/ {
    end_table()
    blank = 1
    next
}
/^ *([-*]|[0-9]+\.) / {
    text = $0
    mark = text
    sub(/^ */, "", text)
    if (text ~ /^[-*] /)
        mark = "\\(bu"
    else
        mark = substr(text, 1, index(text, ".") )
    sub(/^([-*]|[0-9]+\.) /, "", text)
    print ".IP " mark " 4"
    line(inline(text))
    listed = 1
    blank = 0
    next
}
{
    text = $0
    if (blank) {
        if (text !~ /^ /)
            listed = 0
        print listed ? ".IP" : ".PP"
    }
    sub(/^ */, "", text)
    line(inline(text))
    blank = 0
}
END { end_block() }
