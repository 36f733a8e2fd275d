#!/usr/bin/env python3
"""messages.py [ROOT] [--check | --comments [ROOM]]: the English of what people read.

Without an option it prints every message of the product, a line each: FILE:LINE, the function that says it, the text. Messages are
the texts of errors (rc_fail and its kin), remarks, progress, doctor's findings, help of commands and options, printed lines, and '-'
for strings of four words and more elsewhere.  --check lists the messages, the prose of README.md and docs/, and the comments that
break a rule, and there must be none: see RULES and PROSE.  --comments lists the breaks of all comments, and counts them by
rule and by room; with a room it lists those of that room alone.
"""
import collections
import os
import re
import sys

# Functions whose texts people read, by the beginnings of their names.
SAYERS = ('rc_fail', 'RC_OPTION', 'rc_yaml_blame', 'rc_tell', 'rc_run_say', 'rc_run_warn', 'rc_progress_say',
          'rc_progress_warn', 'rc_progress_stage', 'rc_log_say', 'rc_finding_add', 'rc_page_line', 'rc_page_words',
          'rc_page_styled', 'rc_page_tail', 'rc_solve_remark', 'rc_solve_words', 'rc_text_append', 'printf', 'fprintf', 'wrong', 'refuse',
          'complain', 'fputs', 'asprintf', 'snprintf')
FIELDS = ('summary', 'description', 'exits', 'label', 'text')
# Words that a native reader would stumble over, and what is said instead.  'make ... anew' and the like are kept.
RULES = (
    (r'one word too many', "unexpected argument"),
    (r'\bwants an argument\b', "needs an argument"),
    (r'\b[Mm]end(s|ed|ing)?\b', "fix"),
    (r'\btold of\b', "reported"),
    (r'\banew\b', "again"),
    (r'\btaken in by\b', "matches"),
    (r'\bgo(es|ing)? on with\b', "resumes, continues"),
    (r'\bas good as\b', "equivalent to"),
    (r'\b(is|are) of (another|other) ', "belongs to, comes from"),
    (r'\bmakes? it of\b|\bsolved of\b|\bstudied of\b', "from"),
    (r'\b(stands? )?[Bb]ehind (--|DIR|mpirun|the launcher|a launcher)', "after, under"),
    (r"(?<![Tt]here )\bis no (?!difference\b|matter\b|more\b|less\b|worse\b|\w+er\b(?<!number)(?<!counter)(?<!order)(?<!user)(?<!pointer))", "is not a"),
    (r'\bno right to\b|\brights of another\b', "permission, privileges"),
    (r'\btells? (of|how|which|what)\b', "says"),
    (r'\bcannot (look at|tell the)\b', "cannot examine, determine"),
    (r'\bfor so long\b|\bevery so long\b|\bso often\b', "how long, an interval, that often"),
    (r'\b(is|was|are|were) made of\b', "made from"),
    (r'\bexpected such as\b', "expected one such as"),
    (r'\bevents? at most\b', "at most N events"),
    (r'\binformations\b', "information"),
    (r'\ballows to\b', "allows -ing"),
    (r'\bdoesnt\b|\bdont\b|\bcant\b', "an apostrophe"),
    (r'\bthe the\b|\ba a\b|\bof of\b', "one word"),
    (r'!\s*$', "no exclamation mark"),
    (r'\b[Pp]lease\b', "nothing"),
    (r'\bERROR\b|\bError:', "the line itself: main() says where it is from"),
)
# Rules of prose, of comments and pages, beside those of messages.
PROSE = (
    (r'^(What|Who|Of|Those that)\b(?! course\b)(?=.*[^?]$)', "the subject first, then the verb"),
    (r'\b[Bb]ehind\b', "after, following, next, below; 'behind' is for places"),
    (r"(?<![Tt]here )\b(are|was|were) no (?!difference\b|more\b|less\b|worse\b|\w+er\b(?<!number)(?<!counter)(?<!order)(?<!user)(?<!pointer))", "are not, was not a"),
)
COMMENTED = ('campaign', 'docs', 'io', 'jobs', 'kernels', 'solve', 'tests')
# A string of four words is one for people, wherever it stands, but in these.
CODE = re.compile(r'[{}<>|]|%\[|\\[\\x]|^\s*[a-z]+\.[a-z0-9]+ ')
STRING = r'"(?:\\.|[^"\\\n])*"'
PIECE = re.compile(r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>' + STRING + r'(?:\s*(?:' + STRING +
                   r'|PRI[a-zA-Z]+\d+|RC_TEXT_[A-Z_]+|RC_[A-Z_]+))*)|(?P<name>[A-Za-z_]\w*)|(?P<other>[(){};,.=\[\]])', re.S)


def text_of(piece):
    """The string of C as people read it, as far as it is known here."""
    parts = []
    for word in re.findall(STRING + r'|[A-Za-z_]\w+', piece):
        parts.append(word[1:-1] if word.startswith('"') else '%' if word.startswith('PRI') else f'<{word}>')
    return ''.join(parts).replace('\\"', '"')


def is_text(text):
    """A message has words: no format, key, path or line of troff alone."""
    words = re.findall(r'[A-Za-z]{2,}', re.sub(r'%[-+#0 .*\d]*[hlzjt]*[a-zA-Z]|\\.', ' ', text))
    return len(words) >= 2 and not text.startswith(('.', '/proc', '/sys', '\\fB'))


def messages(path):
    with open(path, encoding='utf-8') as file:
        source = file.read()
    stack, name, field = [], '', ''
    for m in PIECE.finditer(source):
        kind = m.lastgroup
        if kind == 'comment':
            continue
        if kind == 'name':
            name = m[0]
        elif kind == 'other':
            if m[0] == '(':
                stack.append(name)
            elif m[0] == ')' and stack:
                stack.pop()
            elif m[0] == '.':
                field = ''
            elif m[0] == '=':
                field = name
            elif m[0] in ';{}':
                stack, field = [], '' if m[0] != '{' else field
            elif m[0] == ',':
                field = '' if not stack else field
            name = '' if m[0] not in '.' else name
        elif kind == 'string':
            sayer = next((s for s in reversed(stack) if s.startswith(SAYERS)), '')
            if not sayer and not stack and field in FIELDS:
                sayer = '.' + field
            text = text_of(m[0])
            if not sayer and text.count(' ') >= 3 and not CODE.search(text):
                sayer = '-'
            if sayer and is_text(text):
                yield source.count('\n', 0, m.start()) + 1, sayer, text


def paragraphs(path):
    """Those of the texts of help, and its examples."""
    with open(path, encoding='utf-8') as file:
        source = file.read()
    for m in re.finditer(r'(?:[^\n]+\n)+', source):
        yield source.count('\n', 0, m.start()) + 1, 'help', ' '.join(m[0].split())


def plain(text):
    """Prose without code and quotations, and without idioms of 'behind': what is left behind, a clock that is 5 s behind."""
    text = re.sub(r'\b(leav\w+|left|fall\w*|lag\w*)\b[^.;:]{0,40}\bbehind\b|\d+ [mun]?s behind\b', 'IDIOM', text)
    return re.sub(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)", 'CODE', text)


def sentences(text):
    """The sentences of a paragraph; a colon, a dash or a semicolon begins none."""
    return [s for s in re.split(r"(?<=[.!?])[)\"]*\s+(?=[A-Z'\"(`*])", ' '.join(text.split())) if s]


def breaks(text, rules):
    return [(found[0], better) for rule, better in rules if (found := re.search(rule, text))]


def comments(path):
    """Comments of a C source or of a script, those on lines one after the other as one."""
    with open(path, encoding='utf-8') as file:
        source = file.read()
    if not path.endswith(('.c', '.h')):
        for m in re.finditer(r'(?m)^[ \t]*#(?!!)[^\n]*(?:\n[ \t]*#[^\n]*)*', source):
            line = source.count('\n', 0, m.start()) + 1
            for paragraph in re.split(r'\n[ \t]*#[ \t]*(?=\n)', m[0]):
                yield line, re.sub(r'(?m)^[ \t]*#+', ' ', paragraph)
                line += paragraph.count('\n') + 1
        return
    for m in re.finditer(r"""/\*(?P<block>.*?)\*/|(?P<lines>//[^\n]*(?:\n[ \t]*//[^\n]*)*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", source, re.S):
        text = m['block'] if m['block'] is not None else m['lines']
        if text is None:
            continue
        line = source.count('\n', 0, m.start()) + 1
        for paragraph in re.split(r'\n[ \t]*(?:\*|//)?[ \t]*(?=\n)', text):
            yield line, re.sub(r'(?m)^[ \t]*(?:\*|//+)', ' ', paragraph)
            line += paragraph.count('\n') + 1


def pages(path):
    """The prose of a page: paragraphs, cells of tables and entries of lists, without headings and blocks of code."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    text, began, fence = [], 0, False
    for number, line in enumerate(lines + [''], 1):
        fence ^= line.startswith('```')
        code = fence or line.startswith(('```', '    ', '#', '<', '!['))
        item = re.match(r'\s*(?:[-*]|\d+\.) ', line)
        if text and (code or item or not line.strip() or line.startswith('|')):
            yield began, ' '.join(text)
            text = []
        if line.startswith('|') and not fence:
            for cell in re.split(r'(?<!\\)\|', line)[1:-1]:
                yield number, cell
        elif line.strip() and not (code and not (line.startswith('    ') and text)):
            began = began if text else number
            text.append(line[item.end():] if item else line)


def room_of(path):
    """The folder; all of tests/ is one room."""
    return 'tests' if path.startswith('tests/') else os.path.dirname(path)


def files(root, folders, ends):
    for folder in folders:
        for place, inner, names in os.walk(os.path.join(root, folder)):
            inner[:] = sorted(n for n in inner if os.path.join(place, n) != os.path.join(root, 'tests', 'data'))
            for name in sorted(n for n in names if n.endswith(ends)):
                yield os.path.join(place, name)


def wrong_comments(root):
    """Each break of a comment: its room, where it is, the rule's number, the words, what is better, the sentence."""
    rules = [(rule, better) for rule, better in RULES + PROSE if better not in ("no exclamation mark", "the line itself: main() says where it is from")]
    for path in files(root, COMMENTED, ('.c', '.h', '.sh', '.py', '.cmake', '.awk', 'CMakeLists.txt')):
        name = os.path.relpath(path, root)
        for line, comment in comments(path):
            for sentence in sentences(comment):
                for words, better in breaks(plain(sentence), rules):
                    yield room_of(name), f'{name}:{line}', words, better, sentence


def list_comments(root, room):
    by_rule, by_room = collections.Counter(), collections.Counter()
    for where, place, words, better, sentence in wrong_comments(root):
        if room and where != room:
            continue
        by_rule[better] += 1
        by_room[where] += 1
        print(f"{place}: '{words}', expected {better}: {sentence}")
    for counts in (by_rule, by_room):
        print()
        for name, count in counts.most_common():
            print(f'{count:6} {name}')
    print(f'{sum(by_rule.values())} breaks')


def check_prose(root):
    """How many sentences of pages and comments break a rule; each is said."""
    bad = 0
    found = [os.path.join(root, 'README.md')] + list(files(root, ('docs',), ('.md',)))
    for path in found:
        for line, paragraph in pages(path):
            for sentence in sentences(re.sub(r'\[([^][]*)\]\([^()]*\)', r'\1', paragraph)):
                for words, better in breaks(plain(sentence), RULES + PROSE):
                    bad += 1
                    print(f"{os.path.relpath(path, root)}:{line}: '{words}', expected {better}: {sentence}")
    for _, place, words, better, sentence in wrong_comments(root):
        bad += 1
        print(f"{place}: '{words}', expected {better}: {sentence}")
    return bad


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith('--')]
    check = '--check' in sys.argv[1:]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if arguments and os.path.isdir(os.path.join(arguments[0], 'campaign', 'base')):
        root = arguments.pop(0)
    if '--comments' in sys.argv[1:]:
        list_comments(root, arguments[0].rstrip('/') if arguments else '')
        return 0
    count = bad = 0
    for folder in ('campaign', 'io', 'jobs', 'kernels', 'solve'):
        for place, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(n for n in names if n.endswith('.c') or n == 'help.txt'):
                path = os.path.join(place, name)
                for line, sayer, text in messages(path) if name.endswith('.c') else paragraphs(path):
                    count += 1
                    where = f'{os.path.relpath(path, root)}:{line}'
                    wrong = [f"'{found[0]}', expected {better}" for rule, better in RULES
                             if (found := re.search(rule, text))]
                    if check and wrong:
                        bad += 1
                        print(f'{where}: {"; ".join(wrong)}: {text}')
                    elif not check:
                        print(f'{where}\t{sayer}\t{text}')
    if check:
        print(f'{count} messages, {bad} that break a rule')
        bad += check_prose(root)
    return 1 if bad or count < 500 else 0


if __name__ == '__main__':
    sys.exit(main())
